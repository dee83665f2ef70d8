//! Parsers for times and sizes on the command line.

use std::time::Duration;

/// `90`, `90s`, `1.5m`, `2h`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, factor) = match text.chars().last() {
        Some('s') => (&text[..text.len() - 1], 1.0),
        Some('m') => (&text[..text.len() - 1], 60.0),
        Some('h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let wrong =
        || "a time is a number of seconds, or a number with the unit s, m or h, such as 90s".to_owned();
    let number: f64 = number.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number * factor) {
        Ok(time) => Ok(time),
        Err(_) if number > 0.0 => Err("the time is too long; leave the option out for no limit".to_owned()),
        Err(_) => Err(wrong()),
    }
}

/// Seconds without a unit, as the contest gives them.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let wrong = |_| "expected a number of seconds".to_owned();
    text.parse()
        .map_err(|e: std::num::ParseFloatError| e.to_string())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).map_err(wrong))
}

/// `4G`, `512M`, `100000K`; a number alone, such as `4` or `0.5`, is in GiB.
pub fn parse_size(text: &str) -> Result<u64, String> {
    /// More than any machine has: such a number is meant in bytes.
    const MOST: f64 = 1e6 * (1 << 30) as f64;
    let (number, shift) = match text.chars().last() {
        Some('K' | 'k') => (&text[..text.len() - 1], 10),
        Some('M' | 'm') => (&text[..text.len() - 1], 20),
        Some('G' | 'g') => (&text[..text.len() - 1], 30),
        _ => (text, 30),
    };
    let wrong =
        || "a size is a number of GiB, or a number with the unit K, M or G, such as 4G or 512M".to_owned();
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let bytes = number * f64::from(1 << shift);
    match bytes {
        bytes if (0.0..=MOST).contains(&bytes) => Ok(bytes as u64),
        bytes if bytes > MOST => Err(format!("no machine has that much memory; {}", wrong())),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read() {
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
        assert!(parse_time("-1").is_err() && parse_time("soon").is_err() && parse_time("").is_err());
        assert_eq!(parse_size("2k"), Ok(2048));
        assert_eq!(parse_size("1"), parse_size("1G"));
        assert_eq!(parse_size("0.5"), parse_size("512M"));
        for wrong in ["99999999999G", "4000000000", "-1", "NaN", "inf", "é", "", "G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}

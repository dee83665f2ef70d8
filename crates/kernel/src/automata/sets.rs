//! Sets as sorted lists, and cubes as sets of literals.

use std::cmp::Ordering;

use super::AtomLiteral;

/// Whether `small` is a subset of `large`.
pub(super) fn included<T: Ord>(small: &[T], large: &[T]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|x| rest.by_ref().find(|&y| y >= x) == Some(x))
}

pub(super) fn union<T: Ord + Copy>(a: &[T], b: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a, b);
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        out.push(x.min(y));
        a = &a[usize::from(x <= y)..];
        b = &b[usize::from(y <= x)..];
    }
    out.extend_from_slice(a);
    out.extend_from_slice(b);
    out
}

/// The cube of the letters of both cubes; `None` if no letter is in both.
pub(super) fn conjunction(a: &[AtomLiteral], b: &[AtomLiteral]) -> Option<Vec<AtomLiteral>> {
    let cube = union(a, b);
    cube.windows(2).all(|pair| pair[0].atom != pair[1].atom).then_some(cube)
}

/// The cube of the letters of either cube, if the cubes differ in the sign of a single literal.
pub(super) fn resolved(a: &[AtomLiteral], b: &[AtomLiteral]) -> Option<Vec<AtomLiteral>> {
    let same_atoms =
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.atom.cmp(&y.atom) == Ordering::Equal);
    let mut different = (0..a.len()).filter(|&i| a.get(i) != b.get(i));
    let at = different.next().filter(|_| same_atoms)?;
    if different.next().is_some() {
        return None;
    }
    Some(a.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &literal)| literal).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(atom: i32) -> AtomLiteral {
        AtomLiteral { atom: atom.unsigned_abs(), positive: atom > 0 }
    }

    fn cube(literals: &[i32]) -> Vec<AtomLiteral> {
        literals.iter().map(|&atom| literal(atom)).collect()
    }

    #[test]
    fn sorted_lists_are_sets() {
        assert!(included(&[1, 4], &[1, 3, 4]) && included::<u32>(&[], &[]));
        assert!(!included(&[2], &[1, 3]) && !included(&[5], &[1, 3]));
        assert_eq!(union(&[1, 3, 5], &[2, 3]), [1, 2, 3, 5]);
    }

    #[test]
    fn cubes_meet_and_resolve() {
        assert_eq!(conjunction(&cube(&[1, -2]), &cube(&[3])), Some(cube(&[1, -2, 3])));
        assert_eq!(conjunction(&cube(&[1, -2]), &cube(&[2])), None);
        assert_eq!(resolved(&cube(&[1, -2]), &cube(&[1, 2])), Some(cube(&[1])));
        assert_eq!(resolved(&cube(&[1, -2]), &cube(&[-1, 2])), None);
        assert_eq!(resolved(&cube(&[1, 2]), &cube(&[1, 3])), None);
        assert_eq!(resolved(&cube(&[1]), &cube(&[1])), None);
    }
}

//! How fast, and in how much memory, a large PNML file is read.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
    time::Instant,
};

use fireset::Model;

use crate::nets::{megabytes, peak_memory};

/// Writes a file of about `size` megabytes, reads it, and prints the time and the memory for that.
pub fn measure(size: u64) -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("large.pnml");
    write_ring(&path, size << 20)?;
    let size = fs::metadata(&path)?.len();
    // Once to bring the file into the system's cache.
    io::copy(&mut File::open(&path)?, &mut io::sink())?;
    let before = peak_memory();
    let start = Instant::now();
    let Model::Plain(net) = fireset::read(&path)? else { return Err("the ring is not coloured".into()) };
    let seconds = start.elapsed().as_secs_f64();
    println!("file            {:>10.1} MB", megabytes(size));
    println!("places          {:>10}", net.nodes().places.len());
    println!("arcs            {:>10}", net.arc_count());
    println!("time            {seconds:>10.2} s");
    println!("speed           {:>10.1} MB/s", megabytes(size) / seconds);
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        println!(
            "memory          {:>10.1} MB at the peak, {:.1} before",
            megabytes(after),
            megabytes(before)
        );
    }
    Ok(())
}

/// A ring of places and transitions with names and positions, as editors write them.
fn write_ring(path: &Path, bytes: u64) -> io::Result<()> {
    let nodes = bytes / 1_000;
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "<?xml version=\"1.0\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">")?;
    writeln!(
        out,
        "<net id=\"ring\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">"
    )?;
    let (offset, position) = ("<offset x=\"12\" y=\"-20\"/>", "<position x=\"1040\" y=\"380\"/>");
    for i in 0..nodes {
        for (kind, letter) in [("place", 'p'), ("transition", 't')] {
            writeln!(out, "  <{kind} id=\"{letter}_{i}\">\n    <name>\n      <graphics>{offset}</graphics>")?;
            writeln!(out, "      <text>{kind} number {i}</text>\n    </name>")?;
            writeln!(out, "    <graphics>\n      {position}\n    </graphics>")?;
            if letter == 'p' && i == 0 {
                writeln!(out, "    <initialMarking>\n      <text>1</text>\n    </initialMarking>")?;
            }
            writeln!(out, "  </{kind}>")?;
        }
        let next = (i + 1) % nodes;
        for (id, source, target) in
            [("in", format!("p_{i}"), format!("t_{i}")), ("out", format!("t_{i}"), format!("p_{next}"))]
        {
            writeln!(out, "  <arc id=\"{id}_{i}\" source=\"{source}\" target=\"{target}\">")?;
            writeln!(out, "    <inscription>\n      <text>1</text>\n    </inscription>\n  </arc>")?;
        }
    }
    writeln!(out, "</page></net></pnml>")?;
    out.flush()
}

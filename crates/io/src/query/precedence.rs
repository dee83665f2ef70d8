//! Operator precedence, for the parser and the printer. A larger number binds tighter; the odd numbers between two stand for
//! "tighter than the lower one".

pub(super) const LOOSEST: u8 = IFF;
pub(super) const IFF: u8 = 2;
pub(super) const IMPLIES: u8 = 4;
pub(super) const OR: u8 = 6;
pub(super) const XOR: u8 = 8;
pub(super) const AND: u8 = 10;
pub(super) const UNTIL: u8 = 12;
pub(super) const PREFIX: u8 = 14;
pub(super) const COMPARE: u8 = 16;
pub(super) const ADD: u8 = 18;
pub(super) const MULTIPLY: u8 = 20;
pub(super) const ATOM: u8 = 22;

//! A small seeded generator: the same seed gives the same process on every machine.

/// The generator `SplitMix64`.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The seeds of a test: the first `count`, or those that the environment variable `SPI_SEEDS` asks for: so many, or `100..200`.
pub fn seeds(count: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("SPI_SEEDS").unwrap_or_default();
    let (from, to) = asked.split_once("..").unwrap_or(("0", &asked));
    from.parse().unwrap_or(0)..to.parse().unwrap_or(count)
}

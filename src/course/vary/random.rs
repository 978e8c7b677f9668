//! Choices that a seed determines, on every machine and in every version of the libraries.

/// A generator of numbers (`SplitMix64`).
pub(super) struct Random(u64);

impl Random {
    /// Another sequence for each seed.
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below this one, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The bounds are tiny: that some numbers come a little more often does not matter.
        (self.next() % bound as u64) as usize
    }

    /// Puts a list in any order.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            let j = self.below(i + 1);
            list.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_the_choices() {
        let order = |seed| {
            let mut list: Vec<usize> = (0..20).collect();
            Random::new(seed).shuffle(&mut list);
            list
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut sorted = order(3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}

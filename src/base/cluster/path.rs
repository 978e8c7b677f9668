//! Paths give the breadth-first order: the path of a state is the list of child numbers that leads
//! to it.
//!
//! One process explores a layer in the order in which its states were found: by parent, then by
//! child number. That is the lexicographic order of the paths, and the first path to a state is the
//! least one. So processes that know the paths agree on what comes first. The encoding keeps the
//! order: bytes compare like the numbers.

/// The path to a state: the child numbers from the roots on, encoded so that bytes compare like the
/// numbers.
pub type Path = Vec<u8>;

/// Numbers below this are one byte; larger ones are this plus their length, then their bytes.
const SHORT: u32 = 240;

/// The path to a child.
pub(super) fn child(parent: &[u8], index: u32) -> Path {
    let mut path = Path::with_capacity(parent.len() + 2);
    path.extend_from_slice(parent);
    if index < SHORT {
        path.push(index as u8);
        return path;
    }
    let bytes = index.to_be_bytes();
    let zeros = bytes.iter().take_while(|b| **b == 0).count();
    path.push((SHORT as usize + bytes.len() - zeros) as u8);
    path.extend_from_slice(&bytes[zeros..]);
    path
}

/// The numbers of a path.
pub fn indices(path: &[u8]) -> Option<Vec<u32>> {
    let mut rest = path;
    let mut found = Vec::new();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if u32::from(*first) < SHORT {
            found.push(u32::from(*first));
            continue;
        }
        let length = *first as usize - SHORT as usize;
        let (bytes, tail) = rest.split_at_checked(length)?;
        rest = tail;
        if length > 4 {
            return None;
        }
        found.push(bytes.iter().fold(0, |n, b| n << 8 | u32::from(*b)));
    }
    Some(found)
}

/// The path to the parent of a state; `None` for a root.
pub(super) fn parent(path: &[u8]) -> Option<Path> {
    let indices = indices(path)?;
    let (_, before) = indices.split_last()?;
    let way = before.iter().fold(Path::new(), |path, i| child(&path, *i));
    (!way.is_empty()).then_some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_ordered_like_numbers() {
        let numbers = [0, 1, 7, 239, 240, 255, 256, 4000, 65535, 65536, u32::MAX];
        let paths: Vec<Path> = numbers.iter().map(|n| child(&[3], *n)).collect();
        assert!(paths.windows(2).all(|w| w[0] < w[1]));
        for (n, path) in numbers.iter().zip(&paths) {
            assert_eq!(indices(path), Some(vec![3, *n]));
        }
        assert!(child(&child(&[], 250), 9) < child(&child(&[], 251), 1));
        assert_eq!(parent(&child(&child(&[], 300), 9)), Some(child(&[], 300)));
        assert_eq!(parent(&child(&[], 300)), None);
        assert_eq!(indices(&[245, 1, 2, 3, 4, 5]), None);
    }
}

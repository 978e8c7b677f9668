//! A partition of the vertices of both systems, refined until the members of a cell have the same neighbours.
//!
//! Invariant: every cell has as many members of the left system as of the right one; where that can't be kept there is no
//! isomorphism. A cell is split by the edges that its members have into another cell, the splitter. Of the parts of a
//! cell that was a splitter already, all but the largest become splitters (Hopcroft), so that a tie that concerns little costs little.

use super::graph::Graph;
use crate::engine::joint::private_form::mix;
use rustc_hash::FxHashMap;

/// The patience is at an end.
#[derive(Debug)]
pub(super) struct Exhausted;

/// The partition.
pub(super) struct Partition {
    cells: Vec<Vec<u32>>,
    /// How many more members of the left system than of the right one each cell has.
    surplus: Vec<i64>,
    /// The cell of each vertex, and its place there.
    at: Vec<(u32, u32)>,
    /// Cells before this one have a name of each side at most, or are cells of steps.
    settled: usize,
    splitters: Vec<u32>,
    waits: Vec<bool>,
}

impl Partition {
    /// The coarsest stable partition; `None` if it shows that there is no isomorphism.
    pub(super) fn new(graph: &Graph, patience: &mut u64) -> Result<Option<Self>, Exhausted> {
        let mut this = Self {
            cells: Vec::new(),
            surplus: Vec::new(),
            at: vec![(0, 0); graph.colors.len()],
            settled: 0,
            splitters: Vec::new(),
            waits: Vec::new(),
        };
        let mut cells: FxHashMap<u64, u32> = FxHashMap::default();
        for (v, color) in (0u32..).zip(&graph.colors) {
            let cell = *cells.entry(*color).or_insert_with(|| this.add());
            this.wait(cell);
            this.put(graph, v, cell);
        }
        if this.surplus.iter().any(|s| *s != 0) {
            return Ok(None);
        }
        let stable = this.refine(graph, patience)?;
        Ok(stable.then_some(this))
    }

    /// The cell of a vertex.
    pub(super) fn cell(&self, v: u32) -> u32 {
        self.at[v as usize].0
    }

    /// The only member of the other side in the cell of a vertex.
    pub(super) fn counterpart(&self, graph: &Graph, v: u32) -> Option<u32> {
        match self.cells[self.cell(v) as usize].as_slice() {
            [a, b] if graph.side(*a) != graph.side(*b) => Some(if *a == v { *b } else { *a }),
            _ => None,
        }
    }

    /// A name of the left system with several counterparts, and these.
    pub(super) fn tie(
        &mut self,
        graph: &Graph,
        patience: &mut u64,
    ) -> Result<Option<(u32, Vec<u32>)>, Exhausted> {
        let tied = |cell: &[u32]| cell.len() > 2 && graph.name_of(cell[0]).is_some();
        while let Some(cell) = self.cells.get(self.settled) {
            if tied(cell) {
                let mut members = cell.clone();
                *patience = patience
                    .checked_sub(members.len() as u64)
                    .ok_or(Exhausted)?;
                members.sort_unstable();
                let others = members.partition_point(|v| graph.side(*v) == 0);
                return Ok(Some((members[0], members.split_off(others))));
            }
            self.settled += 1;
        }
        Ok(None)
    }

    /// Gives two members of a cell a cell of their own; whether the invariant can be kept.
    pub(super) fn pair(
        &mut self,
        graph: &Graph,
        one: u32,
        other: u32,
        patience: &mut u64,
    ) -> Result<bool, Exhausted> {
        let new = self.add();
        self.wait(new);
        self.put_elsewhere(graph, one, new);
        self.put_elsewhere(graph, other, new);
        self.refine(graph, patience)
    }

    /// A new cell without members.
    fn add(&mut self) -> u32 {
        self.cells.push(Vec::new());
        self.surplus.push(0);
        self.waits.push(false);
        self.cells.len() as u32 - 1
    }

    /// Makes a cell a splitter.
    fn wait(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.waits[cell as usize], true) {
            self.splitters.push(cell);
        }
    }

    fn put(&mut self, graph: &Graph, v: u32, cell: u32) {
        let members = &mut self.cells[cell as usize];
        self.at[v as usize] = (cell, members.len() as u32);
        members.push(v);
        self.surplus[cell as usize] += weight(graph, v);
    }

    fn put_elsewhere(&mut self, graph: &Graph, v: u32, cell: u32) {
        let (old, place) = self.at[v as usize];
        let members = &mut self.cells[old as usize];
        members.swap_remove(place as usize);
        if let Some(moved) = members.get(place as usize) {
            self.at[*moved as usize].1 = place;
        }
        self.surplus[old as usize] -= weight(graph, v);
        self.put(graph, v, cell);
    }

    /// Splits cells until it is stable; whether the invariant can be kept.
    fn refine(&mut self, graph: &Graph, patience: &mut u64) -> Result<bool, Exhausted> {
        while let Some(splitter) = self.splitters.pop() {
            self.waits[splitter as usize] = false;
            let mut edges: FxHashMap<u32, u64> = FxHashMap::default();
            for v in &self.cells[splitter as usize] {
                for (w, kind) in &graph.edges[*v as usize] {
                    *patience = patience.checked_sub(1).ok_or(Exhausted)?;
                    let sum = edges.entry(*w).or_insert(0);
                    *sum = sum.wrapping_add(mix(71, *kind));
                }
            }
            // In an order that does not depend on how the map is laid out.
            let mut touched: Vec<(u32, u64, u32)> = edges
                .into_iter()
                .map(|(v, sum)| (self.cell(v), sum, v))
                .collect();
            touched.sort_unstable();
            for group in touched.chunk_by(|a, b| a.0 == b.0) {
                if !self.split(graph, group) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Splits a cell by the sums of its members; those that are not in the group have none. Whether the invariant is kept.
    fn split(&mut self, graph: &Graph, group: &[(u32, u64, u32)]) -> bool {
        let cell = group[0].0;
        let mut parts: Vec<&[(u32, u64, u32)]> = group.chunk_by(|a, b| a.1 == b.1).collect();
        if group.len() == self.cells[cell as usize].len() {
            // The last part may as well stay.
            parts.pop();
        }
        let mut pieces = vec![cell];
        for part in parts {
            let new = self.add();
            for (_, _, v) in part {
                self.put_elsewhere(graph, *v, new);
            }
            pieces.push(new);
        }
        if pieces.len() == 1 {
            return true;
        }
        let largest = pieces
            .iter()
            .copied()
            .max_by_key(|c| self.cells[*c as usize].len());
        let all = self.waits[cell as usize];
        for piece in &pieces {
            if all || Some(*piece) != largest {
                self.wait(*piece);
            }
        }
        pieces.iter().all(|c| self.surplus[*c as usize] == 0)
    }
}

/// What a vertex adds to the surplus of its cell.
fn weight(graph: &Graph, v: u32) -> i64 {
    if graph.side(v) == 0 { 1 } else { -1 }
}

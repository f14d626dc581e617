//! Connect Four on seven columns of six, solved: a judge of play that knows the game and no GDL.
//!
//! Boards are bits, a column seven of them from the ground up, of which the topmost stays empty so that lines do not run from
//! one column into the next. The search is negamax with a table of states; a side that must stop two lines at once, or put a
//! stone under the end of one of the other's lines, has lost. [`plainly`] finds the same values with none of that, for boards that
//! are nearly full, which is how the search is checked.

/// Columns and rows of the board.
pub const WIDTH: u32 = 7;
const HEIGHT: u32 = 6;
const CELLS: u32 = WIDTH * HEIGHT;
/// Bits of a column.
const COLUMN: u32 = HEIGHT + 1;
/// The lowest cell of each column, and all cells.
const GROUND: u64 = 0x0000_0408_1020_4081 & ((1 << (COLUMN * WIDTH)) - 1);
const BOARD: u64 = GROUND * ((1 << HEIGHT) - 1);

/// A position: the stones of the side to move, and all stones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    own: u64,
    all: u64,
}

impl Board {
    /// The position after stones in these columns, 0 to 6; `None` if a column is full or the game was over before.
    pub fn after(columns: &[u32]) -> Option<Board> {
        columns.iter().try_fold(Board::default(), |board, &column| {
            if board.is_over() || !board.is_legal(column) { None } else { Some(board.play(column)) }
        })
    }

    /// Stones on the board.
    pub fn plies(self) -> u32 {
        self.all.count_ones()
    }

    /// Whether the column has room.
    pub fn is_legal(self, column: u32) -> bool {
        column < WIDTH && self.all >> (column * COLUMN + HEIGHT - 1) & 1 == 0
    }

    /// The position after a stone of the side to move in a column that has room.
    pub fn play(self, column: u32) -> Board {
        self.put(self.free() & column_cells(column))
    }

    fn put(self, cell: u64) -> Board {
        Board { own: self.all & !self.own, all: self.all | cell }
    }

    /// Where stones fall in each column that has room.
    fn free(self) -> u64 {
        (self.all + GROUND) & BOARD
    }

    /// Whether whoever moved last has four in a row, or the board is full.
    pub fn is_over(self) -> bool {
        has_four(self.all & !self.own) || self.plies() == CELLS
    }
}

fn column_cells(column: u32) -> u64 {
    ((1 << HEIGHT) - 1) << (column * COLUMN)
}

/// The steps along the four directions of lines.
const STEPS: [u32; 4] = [1, COLUMN - 1, COLUMN, COLUMN + 1];

fn has_four(stones: u64) -> bool {
    STEPS.iter().any(|step| {
        let two = stones & stones >> step;
        two & two >> (2 * step) != 0
    })
}

/// Empty cells that complete four stones of a side, whether something can be put there now or not.
fn completing(stones: u64, all: u64) -> u64 {
    let mut found = (stones << 1) & (stones << 2) & (stones << 3);
    for step in [COLUMN - 1, COLUMN, COLUMN + 1] {
        let two = (stones << step) & (stones << (2 * step));
        found |= two & stones << (3 * step);
        found |= two & stones >> step;
        let two = (stones >> step) & (stones >> (2 * step));
        found |= two & stones >> (3 * step);
        found |= two & stones << step;
    }
    found & BOARD & !all
}

/// What the position is worth to the side to move: 0 for a draw, else one more than the stones that the winner has not
/// placed when it wins, negative if that is the other side. So a win that is nearer is worth more.
pub type Score = i32;

/// How many stones lie on the board at the end, by the score of a position and the stones on it.
pub fn last_ply(score: Score, plies: u32) -> u32 {
    if score == 0 {
        return CELLS;
    }
    // The side to move places the odd stones from here on, the other one the even ones.
    let placed = CELLS / 2 + 1 - score.unsigned_abs();
    let is_first = plies.is_multiple_of(2) == (score > 0);
    if is_first { 2 * placed - 1 } else { 2 * placed }
}

/// Solves positions, and remembers what it has found.
pub struct Solver {
    /// A key with a bound in its last bits.
    table: Vec<u64>,
    visited: u64,
}

impl Default for Solver {
    /// A table of 128 MB.
    fn default() -> Solver {
        Solver { table: vec![0; 1 << 24], visited: 0 }
    }
}

impl Solver {
    /// Positions visited so far.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// The score of a position that is not over.
    pub fn score(&mut self, board: Board) -> Score {
        let plies = board.plies() as i32;
        if self.wins_now(board) {
            return (43 - plies) / 2;
        }
        let (mut low, mut high) = (-(42 - plies) / 2, (41 - plies) / 2);
        // Who wins, first; then how soon.
        while low < high {
            let asked = if low < 0 && high > 0 { 0 } else { low + (high - low) / 2 };
            let found = self.visit(board, asked, asked + 1);
            if found <= asked { high = found } else { low = found }
        }
        low
    }

    /// 1 if the side to move wins, 0 for a draw, -1 if it loses.
    pub fn sign(&mut self, board: Board) -> i32 {
        if self.wins_now(board) || self.visit(board, 0, 1) > 0 {
            1
        } else if self.visit(board, -1, 0) < 0 {
            -1
        } else {
            0
        }
    }

    /// What the position after a stone in a column is worth to who puts it there: 1, 0 or -1.
    pub fn sign_after(&mut self, board: Board, column: u32) -> i32 {
        let next = board.play(column);
        match next.is_over() {
            true => i32::from(has_four(next.all & !next.own)),
            false => -self.sign(next),
        }
    }

    fn wins_now(&self, board: Board) -> bool {
        completing(board.own, board.all) & board.free() != 0
    }

    /// A score within the window, or a bound beyond it. The side to move cannot win at once.
    fn visit(&mut self, board: Board, alpha: Score, beta: Score) -> Score {
        self.visited += 1;
        let plies = board.plies() as i32;
        let threats = completing(board.all & !board.own, board.all);
        let mut moves = board.free();
        let forced = moves & threats;
        let lost = -(42 - plies) / 2;
        if forced != 0 {
            if forced & (forced - 1) != 0 {
                return lost;
            }
            moves = forced;
        }
        // A stone under the end of the other's line lets it be completed.
        moves &= !(threats >> 1);
        if moves == 0 {
            return lost;
        }
        if plies >= 40 {
            return 0;
        }
        // Neither side wins with its next stone.
        let (least, most) = (-(40 - plies) / 2, (41 - plies) / 2);
        if least >= beta {
            return least;
        }
        if most <= alpha {
            return most;
        }
        let (mut alpha, mut beta) = (alpha.max(least), beta.min(most));
        let key = board.own + board.all + GROUND;
        let place = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
        let entry = self.table[place];
        if entry >> 8 == key {
            let bound = (entry & 0x7F) as i32 - 64;
            if entry & 0x80 == 0 {
                beta = beta.min(bound);
            } else {
                alpha = alpha.max(bound);
            }
            if alpha >= beta {
                return bound;
            }
        }
        // Those that make the most lines to be completed first, and of these the middle ones.
        let mut ordered = [(0u32, 0u64); WIDTH as usize];
        let mut count = 0;
        for column in [3, 2, 4, 1, 5, 0, 6] {
            let cell = moves & column_cells(column);
            if cell != 0 {
                let lines = completing(board.own | cell, board.all).count_ones();
                let mut at = count;
                while at > 0 && ordered[at - 1].0 < lines {
                    ordered[at] = ordered[at - 1];
                    at -= 1;
                }
                ordered[at] = (lines, cell);
                count += 1;
            }
        }
        let first = alpha;
        let mut best = Score::MIN;
        for &(_, cell) in &ordered[..count] {
            best = best.max(-self.visit(board.put(cell), -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        let is_low = best > first;
        self.table[place] = key << 8 | u64::from(is_low) << 7 | (best + 64) as u64;
        best
    }
}

/// The same score by trying everything: for boards that are nearly full.
pub fn plainly(board: Board) -> Score {
    let mover = board.plies() % 2;
    let mut cells = [[None; HEIGHT as usize]; WIDTH as usize];
    for (x, column) in (0..).zip(&mut cells) {
        for (y, cell) in (0..).zip(column) {
            let bit = 1 << (x * COLUMN + y);
            if board.all & bit != 0 {
                *cell = Some(if board.own & bit != 0 { mover } else { 1 - mover });
            }
        }
    }
    by_trying(&mut cells, mover, board.plies())
}

type Cells = [[Option<u32>; HEIGHT as usize]; WIDTH as usize];

fn by_trying(cells: &mut Cells, mover: u32, plies: u32) -> Score {
    let mut best = None;
    for x in 0..WIDTH as usize {
        let Some(y) = cells[x].iter().position(Option::is_none) else { continue };
        cells[x][y] = Some(mover);
        let placed = (plies + 2) / 2;
        let score = match (is_in_four(cells, x, y), plies + 1) {
            (true, _) => (CELLS / 2 + 1 - placed) as Score,
            (false, CELLS) => 0,
            (false, _) => -by_trying(cells, 1 - mover, plies + 1),
        };
        cells[x][y] = None;
        best = best.max(Some(score));
    }
    best.unwrap_or(0)
}

/// Whether the stone is one of four in a row.
fn is_in_four(cells: &Cells, x: usize, y: usize) -> bool {
    let own = cells[x][y];
    [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
        let run = |sign: i32| {
            (1..4)
                .take_while(|step| {
                    let (x, y) = (x as i32 + sign * dx * step, y as i32 + sign * dy * step);
                    let inside = (0..WIDTH as i32).contains(&x) && (0..HEIGHT as i32).contains(&y);
                    inside && cells[x as usize][y as usize] == own
                })
                .count()
        };
        run(1) + run(-1) >= 3
    })
}

#[cfg(test)]
mod tests {
    use super::{Board, CELLS, Solver, WIDTH, last_ply, plainly};

    /// Positions that play at random comes to, with so many stones.
    fn positions(plies: u32, count: usize) -> Vec<Board> {
        let mut seed = 1u64;
        let mut below = |bound: u32| {
            seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            ((seed >> 33) % u64::from(bound)) as u32
        };
        let mut found = Vec::new();
        while found.len() < count {
            let mut board = Board::default();
            while board.plies() < plies && !board.is_over() {
                let column = below(WIDTH);
                if board.is_legal(column) {
                    board = board.play(column);
                }
            }
            if board.plies() == plies && !board.is_over() {
                found.push(board);
            }
        }
        found
    }

    #[test]
    fn nearly_full_boards_are_worth_what_trying_everything_finds() {
        let mut solver = Solver::default();
        let (mut won, mut drawn, mut lost) = (0, 0, 0);
        for (plies, count) in [(28, 12), (30, 60), (31, 60), (33, 200), (36, 200), (39, 100), (41, 30)] {
            for board in positions(plies, count) {
                let score = plainly(board);
                assert_eq!(solver.score(board), score, "{board:?}");
                assert_eq!(solver.sign(board), score.signum(), "{board:?}");
                *match score.signum() {
                    1 => &mut won,
                    0 => &mut drawn,
                    _ => &mut lost,
                } += 1;
            }
        }
        assert!(won > 30 && drawn > 30 && lost > 30, "{won} {drawn} {lost}");
    }

    #[test]
    fn ends_are_as_far_as_the_score_says() {
        // By hand: three of the first side's stones in a row on the ground, its turn, so it wins with its fourth stone, the
        // seventh of all.
        let board = Board::after(&[0, 0, 1, 1, 2, 2]).expect("nobody has won");
        let mut solver = Solver::default();
        assert_eq!((solver.score(board), last_ply(solver.score(board), 6)), (18, 7));
        assert!(board.play(3).is_over() && !board.play(4).is_over());
        assert_eq!(solver.sign_after(board, 3), 1);
        // It is the other side's turn, and both ends of the row are open: it loses to the first side's fourth stone.
        let open = Board::after(&[2, 2, 3, 3, 4]).expect("nobody has won");
        assert_eq!((solver.score(open), last_ply(solver.score(open), 5)), (-18, 7));
        assert_eq!(last_ply(0, 12), CELLS);
        assert_eq!(Board::after(&[0; 7]), None);
    }

    /// The values of the seven first moves, as Allis and Allen published them in 1988, and the distances that are known
    /// since: the middle wins with the 41st stone, its neighbours draw.
    #[test]
    fn the_empty_board_is_worth_what_is_known() {
        if !crate::report::runs_slow("the empty board of Connect Four") {
            return;
        }
        let mut solver = Solver::default();
        let values: Vec<i32> =
            (0..WIDTH).map(|column| -solver.score(Board::default().play(column))).collect();
        assert_eq!(values, [-2, -1, 0, 1, 0, -1, -2]);
        assert_eq!(last_ply(values[3], 0), 41);
    }
}

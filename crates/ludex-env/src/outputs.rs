//! Where the results of a step go: arrays of the caller, each with a row a game.
//!
//! An array that is not given is not computed. Bytes are one or zero. Aligned to 64 bytes they are written
//! fastest; nothing depends on it.

use crate::error::EnvError;

/// An array of bytes or of floats.
#[derive(Debug)]
pub enum Cells<'a> {
    /// One or zero.
    Bytes(&'a mut [u8]),
    /// Any number.
    Floats(&'a mut [f32]),
}

impl Cells<'_> {
    fn len(&self) -> usize {
        match self {
            Cells::Bytes(cells) => cells.len(),
            Cells::Floats(cells) => cells.len(),
        }
    }
}

/// The arrays of a step or a reset.
#[derive(Debug, Default)]
pub struct Outputs<'a> {
    /// Games x moves, all moves of a role after those of the role before
    /// ([`Model::moves`](crate::Model::moves)): which are legal. Nothing is in a game that is over.
    pub legal: Option<&'a mut [u8]>,
    /// The same with a bit a move: games x words of 64 bits.
    pub legal_words: Option<&'a mut [u64]>,
    /// Games x roles: what each role has got in this step.
    pub rewards: Option<&'a mut [f32]>,
    /// Games: ended by the rules, or by an action that was not legal ([`Illegal::Lose`](crate::Illegal::Lose)).
    pub terminated: Option<&'a mut [u8]>,
    /// Games: cut off at the length, or stuck.
    pub truncated: Option<&'a mut [u8]>,
    /// Games: truncated because somebody has no legal move though the game is not over.
    pub stuck: Option<&'a mut [u8]>,
    /// Games: the role whose turn it is, by number; -1 if it is not one role's alone, or the game is over.
    pub turn: Option<&'a mut [i8]>,
    /// Games x roles: the action was not legal.
    pub illegal: Option<&'a mut [u8]>,
    /// Games x roles: the number of the move that was made; -1 if none was.
    pub made: Option<&'a mut [i32]>,
    /// Games x columns of the encoder: the state as it is.
    pub observation: Option<Cells<'a>>,
    /// The same as it was before games began anew in this step: the last state of those that have ended.
    pub final_observation: Option<Cells<'a>>,
}

/// How long the rows of the arrays are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    pub(crate) roles: usize,
    pub(crate) moves: usize,
    pub(crate) columns: Option<usize>,
}

/// Calls a macro with each plain array and the length of its rows.
macro_rules! each_array {
    ($widths:expr, $with:ident) => {
        $with!(legal, $widths.moves);
        $with!(legal_words, $widths.moves.div_ceil(64));
        $with!(rewards, $widths.roles);
        $with!(terminated, 1);
        $with!(truncated, 1);
        $with!(stuck, 1);
        $with!(turn, 1);
        $with!(illegal, $widths.roles);
        $with!(made, $widths.roles);
    };
}

impl<'a> Outputs<'a> {
    /// An error if an array has not as many elements as it must have.
    pub(crate) fn check(&self, games: usize, widths: Widths) -> Result<(), EnvError> {
        let fits = |array, given: usize, width: usize| match games * width {
            expected if expected == given => Ok(()),
            expected => Err(EnvError::Length { array, expected, given }),
        };
        macro_rules! check {
            ($name:ident, $width:expr) => {
                if let Some(array) = &self.$name {
                    fits(stringify!($name), array.len(), $width)?;
                }
            };
        }
        each_array!(widths, check);
        for (name, cells) in
            [("observation", &self.observation), ("final_observation", &self.final_observation)]
        {
            if let Some(cells) = cells {
                fits(name, cells.len(), widths.columns.ok_or(EnvError::NoEncoder)?)?;
            }
        }
        Ok(())
    }

    /// Takes the rows of the first games; those of the rest are left.
    pub(crate) fn take_rows(&mut self, games: usize, widths: Widths) -> Outputs<'a> {
        let mut first = Outputs::default();
        macro_rules! take {
            ($name:ident, $width:expr) => {
                if let Some(array) = self.$name.take() {
                    let (a, b) = array.split_at_mut(games * $width);
                    (first.$name, self.$name) = (Some(a), Some(b));
                }
            };
        }
        each_array!(widths, take);
        let at = games * widths.columns.unwrap_or(0);
        let cut = |rest: &mut Option<Cells<'a>>| {
            let (first, more) = match rest.take()? {
                Cells::Bytes(cells) => {
                    let (a, b) = cells.split_at_mut(at);
                    (Cells::Bytes(a), Cells::Bytes(b))
                }
                Cells::Floats(cells) => {
                    let (a, b) = cells.split_at_mut(at);
                    (Cells::Floats(a), Cells::Floats(b))
                }
            };
            *rest = Some(more);
            Some(first)
        };
        first.observation = cut(&mut self.observation);
        first.final_observation = cut(&mut self.final_observation);
        first
    }
}

//! Observations: states as arrays for learners.

use crate::board::{Board, NoBoard};
use crate::error::EnvError;
use crate::model::Model;
use crate::outputs::{Cells, Outputs};
use crate::simulate::{Rows, Simulator, Source, View};
use ludex_engine::propnet::lanes::{Column, Plane};
use ludex_engine::symmetry::Symmetry;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_logic::facts::Facts;
use std::ops::Range;
use std::sync::Arc;

/// How states become arrays. Every game has a [`flat`](Encoder::flat) one; a [`board`](Encoder::board) takes
/// proved structure.
#[derive(Clone, Debug)]
pub struct Encoder {
    vocabulary: Arc<Vocabulary>,
    view: View,
    counters: Vec<Counter>,
    names: Vec<String>,
    shape: Vec<usize>,
}

/// Columns that all say the number for which a fluent stands, of which exactly one holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// The columns.
    pub columns: Range<usize>,
    /// The fluents, each with its number.
    pub values: Vec<(FluentId, f32)>,
}

impl Encoder {
    /// A column for each fluent, in the order of the vocabulary, but for those that `facts` say never change.
    pub fn flat(model: &Model, facts: Option<&Facts>) -> Encoder {
        let constants = facts.iter().flat_map(|facts| &facts.constants).map(|&(fluent, _)| fluent);
        Encoder::flat_without(model, &constants.collect::<Vec<FluentId>>())
    }

    /// A column for each fluent, in the order of the vocabulary, but for these: [`Model::constants`] are such of
    /// which nothing can be learnt.
    pub fn flat_without(model: &Model, constants: &[FluentId]) -> Encoder {
        let vocabulary = model.vocabulary();
        let mut left_out = vec![false; vocabulary.fluent_count()];
        constants.iter().for_each(|fluent| left_out[fluent.index()] = true);
        let fluents: Vec<FluentId> =
            vocabulary.fluents().filter(|fluent| !left_out[fluent.index()]).collect();
        let columns = fluents.iter().copied().map(Column::Fluent).collect();
        Encoder {
            vocabulary: vocabulary.clone(),
            view: model.view(columns),
            counters: Vec::new(),
            names: fluents.iter().map(|&fluent| vocabulary.show_fluent(fluent)).collect(),
            shape: vec![fluents.len()],
        }
    }

    /// Channels x height x width: a board whose squares are told by two arguments of a fluent, where it is
    /// proved what holds on each square; whose turn it is, counters between zero and one, and whatever else
    /// there is as channels that are the same everywhere. An error says why the game has none.
    pub fn board(model: &Model, facts: &Facts) -> Result<Encoder, NoBoard> {
        let proved = facts.constants.iter().map(|&(fluent, _)| fluent);
        let constants = model.constants().iter().copied().chain(proved).collect();
        let board = Board::find(model.vocabulary(), facts, model.initial(), &constants)?;
        Ok(Encoder {
            vocabulary: model.vocabulary().clone(),
            view: model.view(board.columns),
            counters: board.counters,
            names: board.names,
            shape: vec![board.channels, board.height, board.width],
        })
    }

    /// The same after a symmetry: what this encoder says of a state becomes what it says of the state that
    /// the symmetry makes of it. With one that takes a role to the first role that is the view of this role,
    /// its own pieces where the first role's are.
    #[must_use]
    pub fn through(&self, symmetry: &Symmetry, model: &Model) -> Encoder {
        let comes_from = inverse(&symmetry.fluents);
        let columns = self.view.columns.iter().map(|column| match column {
            Column::Fluent(fluent) => Column::Fluent(comes_from[fluent.index()]),
            Column::Zero => Column::Zero,
        });
        let moved = |counter: &Counter| Counter {
            columns: counter.columns.clone(),
            values: counter
                .values
                .iter()
                .map(|&(fluent, value)| (comes_from[fluent.index()], value))
                .collect(),
        };
        Encoder {
            vocabulary: self.vocabulary.clone(),
            view: model.view(columns.collect()),
            counters: self.counters.iter().map(moved).collect(),
            names: self.names.clone(),
            shape: self.shape.clone(),
        }
    }

    /// Where each number comes from when a state becomes its image, with what each fluent becomes: number `n` of what this
    /// encoder says of the image is number `permutation[n]` of what it says of the state. `None` if these are no images of all
    /// fluents, or if what is seen comes from what is not.
    pub fn permutation(&self, images: &[FluentId]) -> Option<Vec<usize>> {
        let mut sorted = images.to_vec();
        sorted.sort_unstable();
        if images.len() != self.vocabulary.fluent_count() || !sorted.into_iter().eq(self.vocabulary.fluents())
        {
            return None;
        }
        let comes_from = inverse(images);
        let mut places = vec![None; images.len()];
        for (place, column) in self.view.columns.iter().enumerate().rev() {
            if let Column::Fluent(fluent) = column {
                places[fluent.index()] = Some(place);
            }
        }
        // A counter stays where it is, so it must count the same.
        let counted = self.counters.iter().flat_map(|counter| &counter.values);
        if counted.into_iter().any(|(fluent, _)| comes_from[fluent.index()] != *fluent) {
            return None;
        }
        let columns = self.view.columns.iter().enumerate();
        columns
            .map(|(place, column)| match column {
                Column::Fluent(fluent) => places[comes_from[fluent.index()].index()],
                Column::Zero => Some(place),
            })
            .collect()
    }

    /// How many numbers an observation has.
    pub fn len(&self) -> usize {
        self.view.columns.len()
    }

    /// True if it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape of an observation: columns; or channels, height and width.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// What each place of the first axis of the shape means: a fluent, or a channel with `*` for row and column.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// True if every number is zero or one, so that bytes can hold them.
    pub fn is_bits(&self) -> bool {
        self.counters.is_empty()
    }

    /// What each number is, but for counters.
    pub fn columns(&self) -> &[Column] {
        &self.view.columns
    }

    /// The columns that are not bits.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// True if it was made for the game of this model.
    pub fn is_of(&self, model: &Model) -> bool {
        Arc::ptr_eq(&self.vocabulary, model.vocabulary())
    }

    /// An error if an array cannot hold the numbers.
    pub(crate) fn check(&self, out: &Outputs<'_>) -> Result<(), EnvError> {
        let arrays = [&out.observation, &out.final_observation];
        match arrays.into_iter().flatten().any(|cells| matches!(cells, Cells::Bytes(_))) && !self.is_bits() {
            true => Err(EnvError::BytesForFloats),
            false => Ok(()),
        }
    }

    /// Writes a row a game. Bytes do not hold counters, which [`Encoder::check`] has seen to.
    pub(crate) fn write(&self, simulator: &dyn Simulator, games: &Plane, out: Cells<'_>) {
        let source = Source::State(&self.view);
        match out {
            Cells::Bytes(out) => simulator.write(source, games, Rows::Bytes(out)),
            Cells::Floats(out) => {
                simulator.write(source, games, Rows::Floats(&mut *out));
                for counter in &self.counters {
                    for &(fluent, value) in &counter.values {
                        for lane in (simulator.holding(fluent) & *games).lanes() {
                            out[lane * self.len()..][counter.columns.clone()].fill(value);
                        }
                    }
                }
            }
        }
    }
}

/// What becomes each fluent, from what each becomes.
fn inverse(images: &[FluentId]) -> Vec<FluentId> {
    let mut comes_from = images.to_vec();
    for (from, to) in (0..).map(FluentId).zip(images) {
        comes_from[to.index()] = from;
    }
    comes_from
}

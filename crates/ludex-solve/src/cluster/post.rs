//! What workers send each other, by one dataflow: parcels go to the worker that they are for; questions are
//! answered there and the answers go back.
//!
//! Times of the dataflow are rounds and steps. All workers go through the same rounds. A round is over when nothing of it
//! is on the way any more, anywhere; within it nobody sends far ahead of what has arrived.

use crate::error::{Error, Result};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::probe::Handle as ProbeHandle;
use timely::dataflow::operators::{Input as _, Probe as _};
use timely::worker::Worker;

/// Steps that a worker may be ahead of what has arrived.
const AHEAD: u64 = 4;

/// Steps of a round: the low bits of a time.
const STEP_BITS: u32 = 40;

/// How long to wait for something to arrive at a time.
const PARK: Duration = Duration::from_millis(10);

/// What a parcel is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Plain,
    Question,
    Answer,
}

/// Bytes for a worker: to whom, from whom, what it is, its number, then the content.
#[derive(Clone, Debug)]
struct Parcel(Vec<u8>);

const HEAD: usize = 13;

impl Parcel {
    fn new(to: usize, from: usize, sort: Sort, number: u32, content: &[u8]) -> Parcel {
        let mut bytes = Vec::with_capacity(HEAD + content.len());
        bytes.extend((to as u32).to_le_bytes());
        bytes.extend((from as u32).to_le_bytes());
        bytes.push(sort as u8);
        bytes.extend(number.to_le_bytes());
        bytes.extend(content);
        Parcel(bytes)
    }

    fn word(&self, at: usize) -> u32 {
        self.0.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
    }

    fn to(&self) -> usize {
        self.word(0) as usize
    }

    fn from(&self) -> usize {
        self.word(4) as usize
    }

    fn sort(&self) -> Sort {
        match self.0.get(8) {
            Some(1) => Sort::Question,
            Some(2) => Sort::Answer,
            _ => Sort::Plain,
        }
    }

    fn number(&self) -> u32 {
        self.word(9)
    }

    fn content(&self) -> &[u8] {
        self.0.get(HEAD..).unwrap_or_default()
    }
}

impl Serialize for Parcel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Parcel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Parcel, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Parcel;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> std::result::Result<Parcel, E> {
                Ok(Parcel(bytes.to_vec()))
            }
            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> std::result::Result<Parcel, E> {
                Ok(Parcel(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// Answers the content of a question.
pub(crate) type Answerer = Box<dyn FnMut(&[u8]) -> Result<Vec<u8>>>;

/// What was sent to other workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, parcel: &Parcel) {
        if parcel.to() != parcel.from() {
            self.messages += 1;
            self.bytes += parcel.0.len() as u64;
        }
    }
}

/// A worker's end of the dataflow.
pub(crate) struct Post<'w> {
    worker: &'w mut Worker,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Parcel>>>,
    probe: ProbeHandle<u64>,
    /// What has arrived, with its time.
    inbox: Rc<RefCell<VecDeque<(u64, Parcel)>>>,
    answerer: Rc<RefCell<Option<Answerer>>>,
    traffic: Rc<Cell<Traffic>>,
    time: u64,
    closed: bool,
}

impl<'w> Post<'w> {
    pub fn new(worker: &'w mut Worker) -> Post<'w> {
        let mut input = InputHandle::new_with_builder();
        let probe = ProbeHandle::new();
        let inbox: Rc<RefCell<VecDeque<(u64, Parcel)>>> = Rc::default();
        let answerer: Rc<RefCell<Option<Answerer>>> = Rc::default();
        let traffic: Rc<Cell<Traffic>> = Rc::default();
        let (arrived, answering, sent) = (inbox.clone(), answerer.clone(), traffic.clone());
        worker.dataflow::<u64, _, _>(|scope| {
            let first = Exchange::new(|parcel: &Parcel| parcel.to() as u64);
            let second = Exchange::new(|parcel: &Parcel| parcel.to() as u64);
            let back = arrived.clone();
            scope
                .input_from(&mut input)
                .unary(first, "arrive", move |_, _| {
                    move |input, output| {
                        input.for_each_time(|time, data| {
                            let mut session = output.session(&time);
                            for parcel in data.flat_map(|data| data.drain(..)) {
                                if parcel.sort() != Sort::Question {
                                    arrived.borrow_mut().push_back((*time.time(), parcel));
                                    continue;
                                }
                                let answer = match &mut *answering.borrow_mut() {
                                    Some(answerer) => answerer(parcel.content()),
                                    None => Err(Error::Refused("nobody answers questions now".to_owned())),
                                };
                                let content = match answer {
                                    Ok(mut content) => {
                                        content.push(1);
                                        content
                                    }
                                    Err(error) => [error.to_string().as_bytes(), &[0]].concat(),
                                };
                                let (to, from) = (parcel.from(), parcel.to());
                                let answer = Parcel::new(to, from, Sort::Answer, parcel.number(), &content);
                                let mut traffic = sent.get();
                                traffic.add(&answer);
                                sent.set(traffic);
                                session.give(answer);
                            }
                        });
                    }
                })
                .container::<Vec<_>>()
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(second, "return", move |_, _| {
                    move |input, _| {
                        input.for_each_time(|time, data| {
                            let parcels = data.flat_map(|data| data.drain(..));
                            back.borrow_mut().extend(parcels.map(|parcel| (*time.time(), parcel)));
                        });
                    }
                })
                .probe_with(&probe);
        });
        Post { worker, input, probe, inbox, answerer, traffic, time: 0, closed: true }
    }

    /// The number of this worker.
    pub fn me(&self) -> usize {
        self.worker.index()
    }

    /// How many there are.
    pub fn workers(&self) -> usize {
        self.worker.peers()
    }

    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    /// Who answers questions from now on.
    pub fn answer_with(&mut self, answerer: Option<Answerer>) {
        *self.answerer.borrow_mut() = answerer;
    }

    /// Begins a round.
    pub fn open(&mut self) {
        self.closed = false;
    }

    fn give(&mut self, parcel: Parcel) {
        let mut traffic = self.traffic.get();
        traffic.add(&parcel);
        self.traffic.set(traffic);
        self.input.send(parcel);
    }

    /// Sends bytes to a worker.
    pub fn send(&mut self, to: usize, content: &[u8]) {
        let parcel = Parcel::new(to, self.me(), Sort::Plain, 0, content);
        self.give(parcel);
    }

    /// What has arrived of this round; what is of the next one stays.
    fn arrived(&self, answers: bool) -> Option<Parcel> {
        let mut inbox = self.inbox.borrow_mut();
        let round = self.time >> STEP_BITS;
        let wanted = |parcel: &Parcel| (parcel.sort() == Sort::Answer) == answers;
        let at = inbox.iter().position(|(time, parcel)| time >> STEP_BITS == round && wanted(parcel))?;
        inbox.remove(at).map(|(_, parcel)| parcel)
    }

    fn receive(&mut self, take: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        while let Some(parcel) = self.arrived(false) {
            take(parcel.from(), parcel.content())?;
        }
        Ok(())
    }

    /// Ends a step: takes what has arrived, and waits while this worker is too far ahead.
    pub fn step(&mut self, take: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        self.time += 1;
        self.input.advance_to(self.time);
        self.worker.step();
        self.receive(take)?;
        let behind = self.time.saturating_sub(AHEAD).max(self.time >> STEP_BITS << STEP_BITS);
        while self.probe.less_than(&behind) {
            self.worker.step_or_park(Some(PARK));
            self.receive(take)?;
        }
        Ok(())
    }

    /// Ends the round, when everything of it has arrived everywhere.
    pub fn close(&mut self, take: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        self.closed = true;
        let next = ((self.time >> STEP_BITS) + 1) << STEP_BITS;
        self.input.advance_to(next);
        let mut result = Ok(());
        while self.probe.less_than(&next) {
            self.worker.step_or_park(Some(PARK));
            result = result.and_then(|()| self.receive(take));
            if result.is_err() {
                self.receive(&mut |_, _| Ok(()))?;
            }
        }
        result = result.and_then(|()| self.receive(take));
        self.receive(&mut |_, _| Ok(()))?;
        self.time = next;
        result
    }

    /// The end of a round that went like this: nothing of it is left.
    pub fn end<T>(&mut self, result: Result<T>) -> Result<T> {
        let closed = self.close(&mut |_, _| Ok(()));
        self.answer_with(None);
        // Answers that nobody waited for because of an error.
        let round = self.time >> STEP_BITS;
        self.inbox.borrow_mut().retain(|(time, _)| time >> STEP_BITS >= round);
        result.and_then(|done| closed.map(|()| done))
    }

    /// Asks workers, and waits for their answers, which come in the order of the questions.
    pub fn ask(&mut self, questions: &[(usize, Vec<u8>)]) -> Result<Vec<Vec<u8>>> {
        for (number, (to, content)) in (0..).zip(questions) {
            let parcel = Parcel::new(*to, self.me(), Sort::Question, number, content);
            self.give(parcel);
        }
        // What is sent leaves when its time is over.
        self.time += 1;
        self.input.advance_to(self.time);
        let mut answers: Vec<Option<Vec<u8>>> = vec![None; questions.len()];
        let mut open = questions.len();
        while open > 0 {
            self.worker.step_or_park(Some(PARK));
            while let Some(parcel) = self.arrived(true) {
                let mut content = parcel.content().to_vec();
                if content.pop() != Some(1) {
                    let why = String::from_utf8_lossy(&content).into_owned();
                    return Err(Error::Elsewhere(parcel.from(), why));
                }
                if let Some(answer) = answers.get_mut(parcel.number() as usize)
                    && answer.is_none()
                {
                    *answer = Some(content);
                    open -= 1;
                }
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Everybody's bytes, or why somebody has none: the same for all.
    pub fn agree(&mut self, mine: Result<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let (mark, content) = match &mine {
            Ok(content) => (1, content.clone()),
            Err(Error::Unranked) => (2, Vec::new()),
            Err(error) => (0, error.to_string().into_bytes()),
        };
        let content = [content.as_slice(), &[mark]].concat();
        self.open();
        for to in 0..self.workers() {
            self.send(to, &content);
        }
        let mut all: Vec<Vec<u8>> = vec![Vec::new(); self.workers()];
        self.close(&mut |from, content| {
            if let Some(of) = all.get_mut(from) {
                *of = content.to_vec();
            }
            Ok(())
        })?;
        let mut unranked = false;
        for (worker, content) in all.iter_mut().enumerate() {
            match content.pop() {
                Some(1) => {}
                Some(2) => unranked = true,
                _ => {
                    let why = String::from_utf8_lossy(content).into_owned();
                    return Err(mine.err().unwrap_or(Error::Elsewhere(worker, why)));
                }
            }
        }
        if unranked { Err(Error::Unranked) } else { Ok(all) }
    }

    /// Nothing is sent any more.
    pub fn finish(self) {
        self.input.close();
        while self.worker.has_dataflows() {
            self.worker.step_or_park(Some(PARK));
        }
    }
}

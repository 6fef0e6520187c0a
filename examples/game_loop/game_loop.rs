//! A game loop: scratch memory that lasts a frame, entities in columns, and missiles that name their
//! targets by handles, which survive a saved game.

use std::process::ExitCode;

use heapsmith::{Arena, Handle, Soa, SoaPool};
use measured::{Example, Results, same};
use serde::{Deserialize, Serialize};

/// Fixed-point numbers, so that a saved game replays exactly.
#[derive(Clone, Copy, Default, Serialize, Deserialize, Soa)]
#[soa(derive(Serialize))]
struct Entity {
    x: i32,
    y: i32,
    speed_x: i32,
    speed_y: i32,
    health: i32,
}

const EDGE: i32 = 1 << 20;

trait World: Default {
    type Name: Copy + Serialize + for<'a> Deserialize<'a>;
    fn spawn(&mut self, entity: Entity) -> Self::Name;
    /// Returns false if the target no longer exists.
    fn hit(&mut self, target: Self::Name, damage: i32) -> bool;
    fn move_all(&mut self);
    fn draw_visible(&mut self) -> u64;
    fn len(&self) -> usize;
    fn save(&self) -> String;
    fn load(&mut self, saved: &str) -> bool;
}

// To copy: the world in a pool in columns.
#[derive(Default)]
struct HeapsmithForm {
    memory: Arena,
    entities: SoaPool<Entity>,
}

impl World for HeapsmithForm {
    type Name = Handle<Entity>;

    fn spawn(&mut self, entity: Entity) -> Handle<Entity> {
        self.entities.insert(entity)
    }

    fn hit(&mut self, target: Handle<Entity>, damage: i32) -> bool {
        let Some(row) = self.entities.get_mut(target) else { return false };
        *row.health -= damage;
        if *row.health <= 0 {
            self.entities.remove(target);
        }
        true
    }

    /// Loads four columns and never `health`.
    fn move_all(&mut self) {
        let EntityColumnsMut { x, y, speed_x, speed_y, .. } = self.entities.columns_mut();
        for (x, speed) in x.iter_mut().zip(speed_x) {
            *x = (*x + *speed) & (EDGE - 1);
        }
        for (y, speed) in y.iter_mut().zip(speed_y) {
            *y = (*y + *speed) & (EDGE - 1);
        }
    }

    /// The frame's scratch memory: the list lies in a scope, which ends with the frame. The next
    /// frame uses the same memory again.
    fn draw_visible(&mut self) -> u64 {
        let EntityColumns { x, y, .. } = self.entities.columns();
        self.memory.scope(|frame| {
            let mut visible = frame.vec_with_capacity(x.len());
            visible.extend(x.iter().zip(y).filter(|(x, _)| **x < EDGE / 4).map(|(_, y)| *y));
            visible.len() as u64 + visible.iter().map(|y| *y as u64).sum::<u64>()
        })
    }

    fn len(&self) -> usize {
        self.entities.len()
    }

    /// Handles are saved as they are: the loaded pool has its rows under the same ones.
    fn save(&self) -> String {
        serde_json::to_string(&self.entities).expect("a pool can be saved")
    }

    fn load(&mut self, saved: &str) -> bool {
        serde_json::from_str(saved).map(|loaded| self.entities = loaded).is_ok()
    }
}

// The same with the standard library: structures in a vector, with generations kept by hand.
#[derive(Default, Serialize, Deserialize)]
struct StdForm {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Default, Serialize, Deserialize)]
struct Slot {
    body: Entity,
    /// Odd: alive.
    generation: u32,
}

impl World for StdForm {
    type Name = (u32, u32);

    fn spawn(&mut self, entity: Entity) -> (u32, u32) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.body = entity;
        slot.generation += 1;
        (index, slot.generation)
    }

    fn hit(&mut self, (index, generation): (u32, u32), damage: i32) -> bool {
        let slot = &mut self.slots[index as usize];
        if slot.generation != generation {
            return false;
        }
        slot.body.health -= damage;
        if slot.body.health <= 0 {
            slot.generation += 1;
            self.free.push(index);
        }
        true
    }

    fn move_all(&mut self) {
        for Slot { body, .. } in &mut self.slots {
            body.x = (body.x + body.speed_x) & (EDGE - 1);
            body.y = (body.y + body.speed_y) & (EDGE - 1);
        }
    }

    fn draw_visible(&mut self) -> u64 {
        let alive = self.slots.iter().filter(|slot| slot.generation % 2 != 0);
        let mut visible = Vec::with_capacity(self.len());
        visible.extend(alive.filter(|slot| slot.body.x < EDGE / 4).map(|slot| slot.body.y));
        visible.len() as u64 + visible.iter().map(|y| *y as u64).sum::<u64>()
    }

    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn save(&self) -> String {
        serde_json::to_string(self).expect("a vector can be saved")
    }

    fn load(&mut self, saved: &str) -> bool {
        serde_json::from_str(saved).map(|loaded| *self = loaded).is_ok()
    }
}

/// Plays some frames, and saves and loads the game every 256 frames.
fn play<W: World>(frames: usize) -> Results {
    const COUNT: u32 = 20_000;
    let mut world = W::default();
    let entity = |x, y, n| Entity { x, y, speed_x: n % 31, speed_y: n % 17, health: 100 };
    let mut targets: Vec<W::Name> =
        (0..COUNT as i32).map(|n| world.spawn(entity(n * 53 % EDGE, n * 97 % EDGE, n))).collect();

    let (mut drawn, mut missed, mut loaded, mut random) = (0, 0, 0, 1u32);
    for frame in 1..=frames {
        world.move_all();
        for _shot in 0..200 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let target = &mut targets[((random >> 8) % COUNT) as usize];
            if world.hit(*target, 60) {
                continue;
            }
            missed += 1; // the entity has died: another one takes its place, perhaps in its slot
            let n = (random >> 12) as i32;
            if missed % 2 == 0 {
                *target = world.spawn(entity(n % EDGE, n % 1000, n));
            }
        }
        drawn += world.draw_visible();
        if frame % 256 == 0 {
            let saved =
                (world.save(), serde_json::to_string(&targets).expect("names can be saved"));
            world = W::default();
            loaded += u64::from(world.load(&saved.0));
            targets = serde_json::from_str(&saved.1).expect("names were saved");
        }
    }
    vec![
        same("entities", world.len() as u64),
        same("missiles that missed", missed),
        same("games loaded", loaded),
        same("checksum of the frames", drawn),
    ]
}

struct GameLoop;

impl Example for GameLoop {
    const MEASURED: usize = 4000;
    const SHOWN: usize = 260;

    fn std_form(frames: usize) -> Results {
        play::<StdForm>(frames)
    }
    fn heapsmith_form(frames: usize) -> Results {
        play::<HeapsmithForm>(frames)
    }
}

fn main() -> ExitCode {
    measured::main::<GameLoop>("game-loop-rust")
}

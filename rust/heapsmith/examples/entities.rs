//! An entity-component store: entities in a pool, components in pools in columns, and handles
//! between them. Handles of removed entities are detected.

use heapsmith::{Handle, Pool, Soa, SoaPool};

/// A moving body. Each system below reads only some of these columns.
#[derive(Soa)]
struct Body {
    x: f32,
    y: f32,
    speed_x: f32,
    speed_y: f32,
    owner: Handle<Entity>,
}

#[derive(Soa)]
struct Health {
    points: i32,
    owner: Handle<Entity>,
}

struct Entity {
    name: String,
    body: Option<Handle<Body>>,
    health: Option<Handle<Health>>,
    follows: Option<Handle<Entity>>,
}

#[derive(Default)]
struct World {
    entities: Pool<Entity>,
    bodies: SoaPool<Body>,
    healths: SoaPool<Health>,
}

impl World {
    fn spawn(&mut self, name: &str, at: (f32, f32), speed: (f32, f32)) -> Handle<Entity> {
        let Self { entities, bodies, healths } = self;
        entities.insert_with_handle(|owner| Entity {
            name: name.into(),
            body: Some(bodies.insert(Body {
                x: at.0,
                y: at.1,
                speed_x: speed.0,
                speed_y: speed.1,
                owner,
            })),
            health: Some(healths.insert(Health { points: 10, owner })),
            follows: None,
        })
    }

    fn end(&mut self, entity: Handle<Entity>) -> Option<Entity> {
        let entity = self.entities.remove(entity)?;
        entity.body.map(|body| self.bodies.remove(body));
        entity.health.map(|health| self.healths.remove(health));
        Some(entity)
    }

    /// Moves all bodies, by reading four columns from end to end.
    fn run_physics(&mut self, seconds: f32) {
        let BodyColumnsMut { x, y, speed_x, speed_y, .. } = self.bodies.columns_mut();
        for (x, speed) in x.iter_mut().zip(speed_x) {
            *x += *speed * seconds;
        }
        for (y, speed) in y.iter_mut().zip(speed_y) {
            *y += *speed * seconds;
        }
    }

    /// Hurts the bodies outside of the field, and removes those without points.
    fn run_border(&mut self, edge: f32) {
        let BodyColumns { x, owner, .. } = self.bodies.columns();
        for (owner, _) in owner.iter().zip(x).filter(|(_, x)| x.abs() > edge) {
            let health = self.entities[*owner].health;
            if let Some(row) = health.and_then(|health| self.healths.get_mut(health)) {
                *row.points -= 6;
            }
        }
        let HealthColumns { points, owner } = self.healths.columns();
        let ended: Vec<_> =
            owner.iter().zip(points).filter(|(_, points)| **points <= 0).map(|(o, _)| *o).collect();
        for entity in ended {
            self.end(entity);
        }
    }

    /// Turns followers to their leaders. A follower stops when its leader was removed.
    fn run_following(&mut self) {
        for (_, entity) in &mut self.entities {
            entity.body.take_if(|body| !self.bodies.contains(*body));
        }
        let targets: Vec<_> =
            self.entities.iter().filter_map(|(me, e)| Some((me, e.body?, e.follows?))).collect();
        for (me, body, target) in targets {
            let Some(target) = self.entities.get(target).and_then(|entity| entity.body) else {
                self.entities[me].follows = None;
                continue;
            };
            let Some(&to) = self.bodies.get(target).map(|row| row.x) else { continue };
            if let Some(row) = self.bodies.get_mut(body) {
                *row.speed_x = (to - *row.x).signum();
            }
        }
    }
}

fn play() -> (World, Handle<Entity>, Handle<Entity>) {
    let mut world = World::default();
    let hare = world.spawn("hare", (0.0, 0.0), (3.0, 0.0));
    let hound = world.spawn("hound", (-4.0, 0.0), (0.0, 0.0));
    world.spawn("tree", (2.0, 2.0), (0.0, 0.0));
    world.entities[hound].follows = Some(hare);
    for _ in 0..5 {
        world.run_following();
        world.run_physics(1.0);
        world.run_border(10.0);
    }
    (world, hare, hound)
}

fn main() {
    let (world, ..) = play();
    for (handle, entity) in &world.entities {
        let body = entity.body.and_then(|body| world.bodies.get(body));
        println!("{handle:?}: {} at {:?}", entity.name, body.map(|row| (row.x, row.y)));
    }
}

#[test]
fn handles_of_what_has_ended_are_found_out() {
    let (mut world, hare, hound) = play();
    // The hare was outside of the field at 12 and 15. The hound followed it until then.
    assert!(world.entities.get(hare).is_none() && world.bodies.len() == 2);
    let body = world.entities[hound].body.unwrap();
    assert_eq!(world.bodies.get(body).unwrap().x, &1.0);
    world.run_following();
    assert_eq!(world.entities[hound].follows, None);
    // The next entity gets the hare's slots, but is not mistaken for the hare.
    let fox = world.spawn("fox", (0.0, 1.0), (0.0, 0.0));
    assert_eq!((fox.index(), world.entities.contains(hare)), (hare.index(), false));
    assert!(world.bodies.columns().owner.iter().all(|&owner| world.entities.contains(owner)));
}

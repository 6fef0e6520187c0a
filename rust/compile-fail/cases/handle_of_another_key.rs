//! Two pools of rows of one type have keys of their own.
use heapsmith::{KeyedPool, Pool};

enum Players {}
enum Monsters {}

fn main() {
    let mut players: KeyedPool<Players, String> = Pool::new().keyed();
    let monsters: KeyedPool<Monsters, String> = Pool::new().keyed();
    let ada = players.insert("Ada".into());
    monsters.get(ada); //~ E0308
}

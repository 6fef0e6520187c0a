//! A handle cannot be used with a pool of another row type.
use heapsmith::Pool;

fn main() {
    let (mut names, mut ages) = (Pool::new(), Pool::new());
    let ada = names.insert("Ada");
    ages.insert(36);
    assert!(ages.contains(ada)); //~ E0308
}

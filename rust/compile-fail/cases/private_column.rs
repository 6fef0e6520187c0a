//! The fields of a row that are private are private in references to it, and in columns.
use heapsmith::{Soa, SoaPool};

mod shop {
    #[derive(heapsmith::Soa)]
    pub struct Order {
        pub number: u32,
        price: u64,
    }

    impl Order {
        pub fn new(number: u32, price: u64) -> Self {
            Self { number, price }
        }
    }
}

fn main() {
    let mut pool: SoaPool<_> = [shop::Order::new(1, 2)].into_iter().collect();
    assert_eq!(pool.columns().price, [2]); //~ E0616
    pool.columns_mut().price[0] = 3; //~ E0616
    assert_eq!(pool.row(0).map(|row| *row.price), Some(2)); //~ E0616
    if let Some(row) = pool.row_mut(0) {
        *row.price = 3; //~ E0616
    }
    let (number, price) = shop::Order::new(1, 2).into_fields(); //~ E0061
    assert_eq!((number, price), (1, 2));
}

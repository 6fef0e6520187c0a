//! The private type of a field is private in what the macro defines.
use heapsmith::Soa;

mod shop {
    struct Price(u64);

    #[derive(heapsmith::Soa)]
    pub struct Order {
        price: Price,
    }
}

fn first<T: Soa<Fields = (U,)>, U>() -> Option<U> {
    None
}

fn main() {
    let price = first::<shop::Order, _>(); //~ ERROR: type `Price` is private
    assert!(price.is_none()); //~ ERROR: type `Price` is private
}

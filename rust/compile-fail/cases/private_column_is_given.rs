//! A row cannot be made of any values through the trait, nor a reference to a row.
use heapsmith::Soa;
use heapsmith::soa::{Access, Columns};

mod shop {
    #[derive(heapsmith::Soa)]
    pub struct Order {
        price: u64,
    }
}

fn give<T: Soa>(fields: T::Fields, access: Access<()>) -> T {
    T::from_fields(fields, access) //~ E0308
}

fn name<'a, T: Soa + 'a>(fields: <T::Fields as Columns>::Refs<'a>) -> heapsmith::soa::Ref<'a, T> {
    T::name_refs(fields, Access(std::marker::PhantomData)) //~ E0423
}

fn main() {
    name::<shop::Order>((&1,));
}

//! `#[derive(Soa)]` for structs with private types, and with names that the macro uses, too. None
//! of them may cause a warning.
#![cfg(feature = "derive")]
#![deny(warnings)]

use heapsmith::SoaPool;

mod private {
    use heapsmith::{Soa, SoaPool};

    #[derive(Debug, PartialEq, Clone)]
    struct Price(u64);

    trait Hidden {
        const RATE: u64;
    }

    #[derive(Debug, PartialEq, Clone, Copy)]
    pub struct Euro;

    impl Hidden for Euro {
        const RATE: u64 = 100;
    }

    #[derive(Debug, PartialEq, Clone)]
    struct Converted<C>(u64, C);

    /// A public row, most fields of which are known in this module alone.
    #[derive(Soa, Debug, PartialEq, Clone)]
    #[soa(derive(Debug, PartialEq))]
    pub struct Order<C, const N: usize = 1>
    where
        Self: Sized,
        C: Clone,
    {
        pub number: u32,
        price: Price,
        converted: Option<Converted<C>>,
        prices: [Price; N],
        before: Vec<Self>,
    }

    impl Order<Euro, 2> {
        pub fn new(number: u32) -> Self {
            let price = Price(u64::from(number));
            let converted = Some(Converted(price.0 * Euro::RATE, Euro));
            let prices = [price.clone(), Price(0)];
            Self { number, price, converted, prices, before: Vec::new() }
        }
    }

    pub fn sum(orders: &SoaPool<Order<Euro, 2>>) -> (u64, u64) {
        let columns = orders.columns();
        let converted = columns.converted.iter().flatten().map(|converted| converted.0);
        (columns.price.iter().map(|price| price.0).sum(), converted.sum())
    }

    #[derive(Soa)]
    pub(crate) struct Restricted {
        pub(super) shown: u8,
        hidden: Price,
    }

    impl Restricted {
        pub(crate) fn new(n: u8) -> Self {
            Self { shown: n, hidden: Price(7) }
        }
    }

    pub(crate) fn hidden(pool: &SoaPool<Restricted>) -> u64 {
        pool.columns().hidden[0].0
    }
}

/// The macro's bounds hold for any parameter.
fn last<C: Clone, const N: usize>(orders: &SoaPool<private::Order<C, N>>) -> Option<(u32, usize)> {
    let copy = orders.clone();
    let (handle, row) = copy.iter().next_back()?;
    let order = orders.get_cloned(handle)?;
    assert_eq!(*row.number, order.number);
    Some((order.number, orders.columns().number.len()))
}

#[test]
fn private_fields_may_have_private_types() {
    use private::{Euro, Order, OrderColumns, OrderMut, OrderRef};
    let mut orders: SoaPool<Order<Euro, 2>> = (1..=3).map(Order::new).collect();
    assert_eq!((private::sum(&orders), last(&orders)), ((6, 600), Some((3, 3))));
    let OrderColumns { number, .. } = orders.columns();
    assert_eq!(number, [1, 2, 3]);
    let handle = orders.handles()[0];
    let OrderMut { number, .. } = orders.get_mut(handle).unwrap();
    *number += 10;
    let row: OrderRef<_, 2> = orders.row(0).unwrap();
    assert_eq!((row, *row.number), (row, 11));
    let copy = orders.clone();
    assert_eq!((copy.get_cloned(handle), copy.len()), (orders.remove(handle), 3));
    orders.sort_by_key(|row| *row.number);
    orders.retain(|_, row| *row.number == 2);
    assert_eq!(orders.drain().map(|(_, order)| order).collect::<Vec<_>>(), [Order::new(2)]);
    let pool: SoaPool<_> = [private::Restricted::new(1)].into_iter().collect();
    assert_eq!((pool.columns().shown, private::hidden(&pool)), (&[1][..], 7));
}

/// Fields, parameters and lifetimes with the names of parts of the macro's code.
#[allow(non_camel_case_types, nonstandard_style)]
#[derive(heapsmith::Soa)]
struct r#Taken<'soa, Ref, Columns, __Fields, __SoaFields: ?Sized, const __soa_field_0: usize>
where
    Self: Sized,
    Ref: Fn(&'soa u8) -> u8,
    for<'soa_> &'soa_ Columns: IntoIterator<Item = &'soa_ u8>,
{
    r#type: for<'soa__> fn(&'soa__ u8) -> &'soa__ u8,
    r#fn: Ref,
    len: Columns,
    row: __Fields,
    rows: Box<__SoaFields>,
    fields: [u8; __soa_field_0],
    access: &'soa u8,
    split: u8,
    join: u8,
    soa: u8,
}

#[test]
fn names_may_be_those_of_the_macro() {
    fn same(number: &u8) -> &u8 {
        number
    }
    let seven = 7;
    let mut pool = SoaPool::new();
    let handle = pool.insert(Taken::<_, _, _, str, 2> {
        r#type: same,
        r#fn: |number: &u8| number + 1,
        len: vec![1, 2],
        row: 'r',
        rows: Box::from("rows"),
        fields: [3, 4],
        access: &seven,
        split: 5,
        join: 6,
        soa: 7,
    });
    let row = pool.get(handle).unwrap();
    assert_eq!((row.r#fn)((row.r#type)(row.access)), 8);
    assert_eq!(
        (&**row.len, *row.row, &**row.rows, *row.fields),
        (&[1, 2][..], 'r', "rows", [3, 4])
    );
    let columns = pool.columns();
    assert_eq!((columns.split, columns.join, columns.soa), (&[5][..], &[6][..], &[7][..]));
}

/// Types that hide those of the standard library, and a struct named as a keyword.
mod shadows {
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals)]

    pub const fields: u8 = 1;
    pub const access: u8 = 2;
    pub struct Sized;
    pub struct Clone;
    pub struct Copy;
    pub struct Soa(pub u8);
    pub struct Views;
    pub mod core {}
    pub mod std {}
    pub mod heapsmith {}

    #[derive(::heapsmith::Soa)]
    pub struct r#match {
        pub soa: Soa,
        pub r#struct: u16,
    }
}

#[test]
fn types_may_hide_those_of_the_library() {
    let row = shadows::r#match { soa: shadows::Soa(1), r#struct: 2 };
    let pool: SoaPool<_> = [row].into_iter().collect();
    let shadows::matchColumns { soa, r#struct } = pool.columns();
    assert_eq!((soa[0].0, r#struct), (1, &[2][..]));
}

macro_rules! row {
    ($visibility:vis $name:ident<$parameter:ident: $bound:path>: $($field:ident: $type:ty),*) => {
        #[derive(heapsmith::Soa)]
        $visibility struct $name<$parameter: $bound> {
            $($field: $type),*
        }
    };
}

#[test]
fn rows_may_be_defined_in_functions_and_by_macros() {
    #[derive(Clone)]
    struct Local(u8);
    row!(pub Row<T: Clone>: local: Local, many: Vec<Self>, other: T);
    let rows = [1, 2].map(|n| Row { local: Local(n), many: Vec::new(), other: 'o' });
    let pool: SoaPool<_> = rows.into_iter().collect();
    assert_eq!(pool.columns().local.iter().map(|local| local.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((pool.columns().many[1].len(), pool.columns().other), (0, &['o'; 2][..]));
}

/// A row whose columns have numbers in place of names.
#[derive(heapsmith::Soa, Clone, PartialEq, Debug)]
#[soa(derive(Debug, PartialEq), derive_columns(Debug, PartialEq))]
pub struct Pair<T>(pub u8, #[soa(attr(cfg(all())))] Option<T>)
where
    Self: Sized,
    T: Copy;

#[test]
fn fields_may_have_numbers() {
    let mut pairs: SoaPool<Pair<char>> = [Pair(1, None), Pair(2, Some('b'))].into_iter().collect();
    let PairColumns(numbers, letters) = pairs.columns();
    assert_eq!((numbers, letters[1]), (&[1, 2][..], Some('b')));
    *pairs.row_mut(0).unwrap().1 = Some('a');
    assert_eq!(pairs.row(0), Some(PairRef(&1, &Some('a'))));
    assert_eq!(pairs.columns(), PairColumns(&[1, 2], &[Some('a'), Some('b')]));
    assert_eq!(format!("{:?}", pairs.row(1).unwrap()), "PairRef(2, Some('b'))");
    assert_eq!(pairs.remove(pairs.handles()[0]), Some(Pair(1, Some('a'))));
}

/// A row whose module has structs of the names that the macro would take.
#[allow(dead_code)]
mod taken {
    #[derive(heapsmith::Soa)]
    #[soa(ref = Shared, mut = Unique, columns = All)]
    #[soa(columns_mut = AllMut)]
    pub struct Order {
        pub columns: u8,
    }

    pub struct OrderRef;
    pub struct OrderMut;
    pub struct OrderColumns;
    pub struct OrderColumnsMut;
}

#[test]
fn structs_may_have_other_names() {
    let mut pool: SoaPool<_> = [taken::Order { columns: 1 }].into_iter().collect();
    let taken::AllMut { columns } = pool.columns_mut();
    columns[0] += 1;
    let taken::Unique { columns } = pool.row_mut(0).unwrap();
    *columns += 1;
    let (taken::Shared { columns: one }, taken::All { columns }) =
        (pool.row(0).unwrap(), pool.columns());
    assert_eq!((*one, columns), (3, &[3][..]));
}

/// A field that others should not use.
#[derive(heapsmith::Soa)]
struct Old {
    number: u8,
    #[deprecated]
    older: u8,
}

#[test]
fn fields_may_be_deprecated() {
    #[allow(deprecated)]
    let row = Old { number: 1, older: 2 };
    let pool: SoaPool<_> = [row].into_iter().collect();
    assert_eq!(pool.columns().number, [1]);
}

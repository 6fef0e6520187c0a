//! `#[derive(Soa)]`, for structs of all kinds.
#![cfg(feature = "derive")]

use std::fmt::{Debug, Display};
use std::rc::Rc;

use heapsmith::{Handle, Soa, SoaPool};

/// A row with docs, visibilities and a raw name.
#[derive(Soa, Clone, PartialEq, Debug)]
#[soa(derive(Debug, PartialEq), derive_columns(Debug, PartialEq))]
pub struct Order
where
    Self: Sized,
{
    /// In cents.
    pub price: u64,
    pub(crate) r#type: char,
    remark: String,
}

fn order(price: u64) -> Order {
    Order { price, r#type: 'b', remark: format!("{price} cents") }
}

#[test]
fn columns_have_the_names_of_fields() {
    let mut pool: SoaPool<Order> = (1..=3).map(order).collect();
    let OrderColumns { price, r#type, remark } = pool.columns();
    assert_eq!((price, r#type), (&[1, 2, 3][..], &['b'; 3][..]));
    assert_eq!(remark, ["1 cents", "2 cents", "3 cents"]);
    let columns: OrderColumnsMut = pool.columns_mut();
    columns.price.iter_mut().zip(columns.remark).for_each(|(price, remark)| {
        *price *= 10;
        remark.insert(0, '#');
    });
    let handle = pool.handles()[1];
    let row: OrderRef = pool.get(handle).unwrap();
    assert_eq!((row, row.remark.as_str()), (row, "#2 cents"));
    assert_eq!(format!("{row:?}"), r##"OrderRef { price: 20, type: 'b', remark: "#2 cents" }"##);
    let OrderMut { price, .. } = pool.get_mut(handle).unwrap();
    *price = 7;
    assert_eq!(pool.replace(handle, order(5)).unwrap().price, 7);
    assert_eq!(pool.remove(handle), Some(order(5)));
    let one: SoaPool<Order> = [order(1)].into_iter().collect();
    let shown = r##"OrderColumns { price: [1], type: ['b'], remark: ["1 cents"] }"##;
    assert_eq!((format!("{:?}", one.columns()), one.columns()), (shown.into(), one.columns()));
    assert!(format!("{pool:?}").contains("): OrderRef { price: 30, type: 'b'"));
}

#[derive(Soa, Clone)]
struct Generic<'soa, T: Display + 'soa, U = u8, const N: usize = 2>
where
    U: Clone,
{
    borrowed: &'soa T,
    own: U,
    many: [u8; N],
}

#[test]
fn rows_may_be_generic_and_borrow() {
    let text = String::from("borrowed");
    let mut pool = SoaPool::new();
    let handle = pool.insert(Generic { borrowed: &text, own: Rc::new(1), many: [1, 2, 3] });
    pool.insert(Generic { borrowed: &text, own: Rc::new(2), many: [4, 5, 6] });
    // Also in a closure that takes rows with a shorter lifetime than what they borrow.
    pool.retain(|_, row| row.many[0] == 1 && **row.own == 1);
    assert_eq!((pool.len(), pool.columns().borrowed[0].as_str()), (1, "borrowed"));
    let columns = pool.columns();
    let copied = columns;
    assert_eq!(copied.many, columns.many);
    let Generic { borrowed, own, many } = pool.get_cloned(handle).unwrap();
    assert_eq!((borrowed.as_str(), *own, many), ("borrowed", 1, [1, 2, 3]));
}

#[derive(Soa, Clone)]
#[soa(derive(Debug), derive(PartialEq))]
struct Sixteen<T: Debug> {
    a: T,
    b: u8,
    c: u16,
    d: u32,
    e: u64,
    f: i8,
    g: i16,
    h: i32,
    i: i64,
    j: f32,
    k: f64,
    l: char,
    m: bool,
    n: (),
    o: String,
    p: Option<T>,
}

#[test]
fn rows_have_up_to_sixteen_fields() {
    let row = |a: u8| Sixteen {
        a,
        b: 1,
        c: 2,
        d: 3,
        e: 4,
        f: 5,
        g: 6,
        h: 7,
        i: 8,
        j: 9.0,
        k: 10.0,
        l: 'l',
        m: true,
        n: (),
        o: "o".into(),
        p: Some(a),
    };
    let mut pool: SoaPool<_> = (0..100).map(row).collect();
    let copy = pool.clone();
    assert!(pool.iter().eq(copy.iter()));
    pool.retain(|_, row| *row.a % 2 == 0);
    assert_eq!(pool.columns().p.iter().flatten().count(), 50);
    assert!(pool.columns().o.iter().all(|o| o == "o"));
}

mod inner {
    pub(super) use ::heapsmith as moved;

    #[derive(moved::Soa)]
    #[soa(crate = moved)]
    pub(super) struct Private {
        pub(super) shown: u8,
        hidden: u8,
    }

    impl Private {
        pub(super) fn new(n: u8) -> Self {
            Self { shown: n, hidden: n + 1 }
        }
    }

    pub(super) fn hidden(pool: &moved::SoaPool<Private>) -> &[u8] {
        pool.columns().hidden
    }
}

#[test]
fn fields_stay_as_visible_as_they_are() {
    let pool: inner::moved::SoaPool<_> = (0..3).map(inner::Private::new).collect();
    assert_eq!((pool.columns().shown, inner::hidden(&pool)), (&[0, 1, 2][..], &[1, 2, 3][..]));
}

/// A row that refers to rows of its kind as `Self`.
#[derive(Soa)]
struct Linked<T> {
    number: T,
    next: Option<Handle<Self>>,
    others: (Option<Handle<Self>>, [T; 2]),
}

#[test]
fn fields_may_name_self() {
    let mut pool: SoaPool<Linked<u32>> = SoaPool::new();
    let first = pool.insert(Linked { number: 1, next: None, others: (None, [2, 3]) });
    pool.insert(Linked { number: 4, next: Some(first), others: (Some(first), [5, 6]) });
    let columns = pool.columns();
    assert_eq!(columns.number, [1, 4]);
    assert_eq!(columns.next, [None, Some(first)]);
    assert_eq!(columns.others[1], (Some(first), [5, 6]));
}

/// Constants, a unit struct and parameters, named as fields are.
mod names {
    #![allow(non_upper_case_globals, non_camel_case_types)]

    pub const length: usize = 3;
    pub struct unit;
    pub static shared: u8 = 7;

    #[derive(heapsmith::Soa, Clone, PartialEq, Debug)]
    #[soa(derive(Debug))]
    pub struct Named<fields: Clone, const count: usize> {
        pub length: [u8; length],
        pub unit: fields,
        pub shared: [u8; count],
        pub count: usize,
        pub self_: fields,
    }
}

#[test]
fn fields_may_be_named_as_constants_are() {
    let row = names::Named { length: [1; 3], unit: 'u', shared: [2, 3], count: 4, self_: 's' };
    let mut pool = SoaPool::new();
    let handle = pool.insert(row.clone());
    assert_eq!(pool.columns().count, [4]);
    let names::NamedRef { length, unit, .. } = pool.get(handle).unwrap();
    assert_eq!((length.len(), *unit, names::shared), (names::length, 'u', 7));
    *pool.get_mut(handle).unwrap().self_ = 't';
    assert_eq!(pool.remove(handle), Some(names::Named { self_: 't', ..row }));
    _ = names::unit;
}

/// Names that lints complain about unless the attributes are passed on.
#[deny(non_snake_case, non_camel_case_types)]
mod lints {
    #[derive(heapsmith::Soa)]
    #[allow(non_camel_case_types)]
    #[expect(non_snake_case)]
    pub struct c_style {
        pub nValue: u8,
    }
}

#[derive(Soa)]
#[soa(derive(Debug, PartialEq), derive_columns(Debug), attr(must_use, allow(unused)))]
#[soa(attr_columns(cfg(not(any()))))]
struct Passed {
    number: u8,
    #[soa(attr(cfg(not(any()))), attr_columns(doc = "A column."))]
    other: u8,
}

#[test]
fn attributes_are_passed_on() {
    let pool: SoaPool<_> = [Passed { number: 1, other: 2 }].into_iter().collect();
    assert_eq!(format!("{:?}", pool.columns()), "PassedColumns { number: [1], other: [2] }");
    assert_eq!(pool.row(0), Some(PassedRef { number: &1, other: &2 }));
    let named: SoaPool<_> = [lints::c_style { nValue: 1 }].into_iter().collect();
    assert_eq!(named.columns().nValue, [1]);
}

#[cfg(feature = "serde")]
#[test]
fn serde_attributes_are_passed_on() {
    #[derive(Soa)]
    #[soa(derive(serde::Serialize), attr(serde(rename_all = "UPPERCASE")))]
    struct Saved {
        number: u8,
        #[soa(attr(serde(rename = "title")))]
        name: &'static str,
        #[soa(attr(serde(skip)))]
        hidden: u8,
    }
    let pool: SoaPool<_> = [Saved { number: 1, name: "one", hidden: 2 }].into_iter().collect();
    let row = serde_json::to_string(&pool.row(0)).unwrap();
    assert_eq!((row.as_str(), pool.columns().hidden), (r#"{"NUMBER":1,"title":"one"}"#, &[2][..]));
}

//! The final size at once.

#[test]
fn a_list_with_room_does_not_grow() {
    let (mut list, final_count) = (Vec::new(), 1000);
    // [
    list.reserve_exact(final_count); // before the first element
    // ]
    let room = list.capacity();
    list.extend(0..final_count);
    assert_eq!(list.capacity(), room);
}

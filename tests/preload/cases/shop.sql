-- A database with text, blobs, indices, a view, a trigger and much rewriting, without randomness.
PRAGMA foreign_keys = ON;
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, picture BLOB);
CREATE TABLE sale(id INTEGER PRIMARY KEY, item REFERENCES item(id), day INTEGER, note TEXT);
CREATE TABLE log(entry TEXT);
CREATE INDEX sale_by_day ON sale(day, item);
CREATE INDEX sale_by_note ON sale(note);
CREATE TRIGGER noted AFTER DELETE ON sale WHEN old.id % 50 = 0 BEGIN
  INSERT INTO log VALUES (printf('%d:%s', old.id, old.note));
END;

BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO item SELECT i, printf('item-%06x', i * 7919 % 1000003), i * 0.25,
  zeroblob(i * 37 % 3000) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO sale SELECT i, i * 31 % 2000 + 1, i * 17 % 365,
  substr(hex(i * 2654435761), 1, 4 + i % 60) || printf('%.*c', i % 90, 'x') FROM n;
COMMIT;

UPDATE sale SET note = note || '-' || upper(hex(note)) WHERE day BETWEEN 100 AND 140;
DELETE FROM sale WHERE day < 30;
CREATE VIEW takings AS SELECT day, count(*) AS sales, sum(price) AS total,
  group_concat(DISTINCT name) AS names FROM sale JOIN item ON item.id = sale.item GROUP BY day;
SELECT day, sales, total, length(names) FROM takings ORDER BY total DESC LIMIT 20;
SELECT name, row_number() OVER (ORDER BY length(note) DESC, sale.id)
  FROM sale JOIN item ON item.id = item ORDER BY note DESC LIMIT 20;
SELECT json_group_object(name, price) FROM (SELECT name, price FROM item ORDER BY name LIMIT 500);
SELECT count(*), sum(length(entry)) FROM log;
REINDEX;
VACUUM;

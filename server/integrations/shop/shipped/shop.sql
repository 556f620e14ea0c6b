-- The database of the small shop. It is written once, when the shop is switched on.
CREATE TABLE products (
  sku TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  price REAL NOT NULL,
  stock INTEGER NOT NULL
);
INSERT INTO products (sku, name, price, stock) VALUES
  ('LAMP', 'Desk lamp', 39.9, 14),
  ('CHAIR', 'Oak chair', 129, 6),
  ('TABLE', 'Round table', 349, 2),
  ('RUG', 'Wool rug', 89.5, 0),
  ('SHELF', 'Wall shelf', 59, 21),
  ('MUG', 'Stone mug', 12.5, 80);

CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  city TEXT NOT NULL
);
INSERT INTO customers (id, name, email, city) VALUES
  (1, 'Ada Lovelace', 'ada@example.com', 'London'),
  (2, 'Bo Berg', 'bo@example.com', 'Oslo'),
  (3, 'Carla Conti', 'carla@example.com', 'Turin'),
  (4, 'Deniz Demir', 'deniz@example.com', 'Izmir');

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL REFERENCES customers (id),
  sku TEXT NOT NULL REFERENCES products (sku),
  quantity INTEGER NOT NULL,
  status TEXT NOT NULL,
  ordered_on TEXT NOT NULL
);
INSERT INTO orders (id, customer, sku, quantity, status, ordered_on) VALUES
  (1001, 1, 'LAMP', 1, 'delivered', '2026-01-12'),
  (1002, 2, 'CHAIR', 4, 'delivered', '2026-01-20'),
  (1003, 1, 'RUG', 1, 'waiting for stock', '2026-02-02'),
  (1004, 3, 'TABLE', 1, 'on its way', '2026-02-03'),
  (1005, 4, 'MUG', 12, 'on its way', '2026-02-03'),
  (1006, 2, 'SHELF', 2, 'paid', '2026-02-04');

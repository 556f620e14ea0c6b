import { expect, test } from 'vitest';
import { writesOfGrants } from './grants.ts';

test.each([
  [['GRANT USAGE ON *.* TO `r`@`%`', 'GRANT SELECT, SHOW VIEW ON `shop`.* TO `r`@`%`'], []],
  [['GRANT SELECT (`a`, `b`) ON `shop`.`t` TO `r`@`%`'], []],
  [['GRANT SELECT, INSERT (`a`, `b`), FILE ON *.* TO `r`@`%`'], ['INSERT (`a`, `b`) on *.*', 'FILE on *.*']],
  [['GRANT ALL PRIVILEGES ON `shop`.* TO `r`@`%`'], ['ALL PRIVILEGES on `shop`.*']],
  [['GRANT SELECT ON `shop`.* TO `r`@`%` WITH GRANT OPTION'], ['pass its rights on']],
  [['GRANT `writer`@`%` TO `r`@`%`'], ['what its roles may (GRANT `writer`@`%` TO `r`@`%`)']],
])('grants of MySQL: %j', (grants, writes) => {
  expect(writesOfGrants(grants.map((text) => ({ 'Grants for r@%': text })))).toEqual(writes);
});

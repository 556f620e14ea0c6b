import { openWeftSql } from '../../../storage/database/weft-tables.ts';
import { createSqlState } from '../sql-state.ts';

/**
 * Counts until it is killed, and prints each number once it is stored. Run as a process with the data folder as its
 * argument.
 */
const state = createSqlState(openWeftSql(process.argv[2] as string), Date.now);
for (;;) process.stdout.write(`${await state.add('counter', 'n', 1)}\n`);

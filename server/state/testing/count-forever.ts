import { writeSync } from 'node:fs';
import { openWeftDb } from '../../adapters/weft-db.ts';
import { createSqliteState } from '../sqlite-state.ts';

/**
 * Counts until it is killed, and prints each number once it is stored. Run as a process: the data folder is its
 * argument.
 */
const state = createSqliteState(openWeftDb(process.argv[2] as string), Date.now);
for (;;) writeSync(1, `${await state.add('theirs', 'n', 1)}\n`);

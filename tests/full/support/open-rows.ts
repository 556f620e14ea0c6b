import { writeSync } from 'node:fs';
import { openWeftSql } from '../../../server/storage/database/weft-tables.ts';

/** Opens the rows of a data folder, which may migrate them; tells when it begins and when it has ended. */
const [, , data = ''] = process.argv;
writeSync(1, 'begins\n');
const sql = openWeftSql(data);
writeSync(1, 'ended\n');
await sql.close();

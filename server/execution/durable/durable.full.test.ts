import { durableContract } from './durable.contract.ts';
import { openOnSqlite } from './testing/open-on-sqlite.ts';

durableContract('OpenWorkflow on SQLite', openOnSqlite);

import { durableContract } from '../durable.contract.ts';
import { openOnPostgres } from './testing/durable-database.ts';

durableContract('OpenWorkflow on PostgreSQL', openOnPostgres);

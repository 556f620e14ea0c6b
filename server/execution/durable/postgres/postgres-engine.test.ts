import { durableCore } from '../durable.contract.ts';
import { openOnPostgres } from './testing/durable-database.ts';

durableCore('OpenWorkflow on PostgreSQL', openOnPostgres);

import type { CaseResult, EvaluationResult, EvaluationSummary } from '#shared/evaluation.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** The results of finished evaluations. Every method may throw `storage_failed`. */
export interface ResultStore {
  /** Also deletes the oldest results of the set beyond the last hundred. */
  add(result: EvaluationResult): Promise<void>;
  /** Newest first. */
  list(set: string): Promise<EvaluationSummary[]>;
  /** The newest result of each set. */
  latest(): Promise<Map<string, EvaluationSummary>>;
  get(set: string, id: string): Promise<EvaluationResult | undefined>;
  /** Deletes all results of a set. */
  forget(set: string): Promise<void>;
}

const KEPT = 100;

const ADD = 'INSERT INTO evaluations (project, name, id, at, summary, results) VALUES (?, ?, ?, ?, ?, ?)';
const PRUNE = `DELETE FROM evaluations WHERE project = ? AND name = ? AND id NOT IN
  (SELECT id FROM evaluations WHERE project = ? AND name = ? ORDER BY at DESC, id DESC LIMIT ?)`;
const LIST = 'SELECT summary FROM evaluations WHERE project = ? AND name = ? ORDER BY at DESC, id DESC';
const ALL = 'SELECT name, summary FROM evaluations WHERE project = ? ORDER BY at, id';
const GET = 'SELECT summary, results FROM evaluations WHERE project = ? AND name = ? AND id = ?';
const FORGET = 'DELETE FROM evaluations WHERE project = ? AND name = ?';

interface Row {
  readonly summary: string;
}

/** Stored in the rows of a database, which the caller closes. */
export function createResultStore(sql: Sql, project: string = DEFAULT_PROJECT): ResultStore {
  return {
    async add({ results, ...summary }) {
      const { set, id, at } = summary;
      const texts = [JSON.stringify(summary), JSON.stringify(results)];
      await sql.batch([
        [ADD, project, set, id, Date.parse(at), ...texts],
        [PRUNE, project, set, project, set, KEPT],
      ]);
    },
    async list(set) {
      return (await sql.all<Row>(LIST, project, set)).map(summaryOf);
    },
    async latest() {
      const rows = await sql.all<Row & { readonly name: string }>(ALL, project);
      return new Map(rows.map((row) => [row.name, summaryOf(row)]));
    },
    async get(set, id) {
      const row = await sql.first<Row & { readonly results: string }>(GET, project, set, id);
      return row && { ...summaryOf(row), results: JSON.parse(row.results) as CaseResult[] };
    },
    async forget(set) {
      await sql.run(FORGET, project, set);
    },
  };
}

function summaryOf({ summary }: Row): EvaluationSummary {
  return JSON.parse(summary) as EvaluationSummary;
}

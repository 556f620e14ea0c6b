import { type Fields, listOf, recordOf, selectorOf, textOf } from './app.ts';

/** Settings of the drawing, and those that Dify computes anew. */
const DRAWN = new Set(
  `type title desc selected width height isInIteration isInLoop iteration_id loop_id isIterationStart isLoopStart
  startNodeType start_node_id _children _connectedSourceHandleIds _connectedTargetHandleIds _targetBranches author
  showAuthor theme default_value error_strategy retry_config version output_type provider_name tool_label
  tool_description plugin_unique_identifier is_team_authorization paramSchemas params output_schema meta
  agent_strategy_label agent_strategy_provider_name selectedIds dependencies`.split(/\s+/),
);

/**
 * The settings of a node or app. Reading one marks it, so that every setting that no mapping has looked at is in the report: none
 * is lost silently.
 */
export class Settings {
  private readonly seen = new Set<string>();
  readonly all: Fields;

  constructor(all: Fields) {
    this.all = all;
  }

  get(name: string): unknown {
    this.seen.add(name);
    return Object.hasOwn(this.all, name) ? this.all[name] : undefined;
  }

  text(name: string): string {
    return textOf(this.get(name));
  }

  flag(name: string): boolean {
    const value = this.get(name);
    return value === true || value === 'true' || value === 1;
  }

  record(name: string): Fields {
    return recordOf(this.get(name));
  }

  list(name: string): readonly unknown[] {
    return listOf(this.get(name));
  }

  records(name: string): Fields[] {
    return this.list(name).map(recordOf);
  }

  selector(name: string): string[] {
    return selectorOf(this.get(name));
  }

  number(name: string): number | undefined {
    const value = this.get(name);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }

  /** Settings of the drawing, and those that say nothing here. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.seen.add(name);
  }

  /** Names of settings that have a value and that nothing has read. */
  unread(): string[] {
    return Object.entries(this.all)
      .filter(([name, value]) => !this.seen.has(name) && !DRAWN.has(name) && !isNothing(value))
      .map(([name]) => name);
  }
}

/** Off, empty, or a record of such values. */
export function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object') return false;
  const fields = value as Fields;
  if (fields['enabled'] === false) return true;
  return Object.values(fields).every(isNothing);
}

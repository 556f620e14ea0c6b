import { join } from 'node:path';
import type { RuleResult } from '../../../base/authored/check-contract.ts';
import type { Fault } from '../../../base/authored/fault.ts';
import { probeFiles } from '../../../base/authored/probe.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { findOperatorFiles, type OperatorFile } from '../../../base/authored/operator-files.ts';
import { count, type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { shownPath } from '../local/load-flow-files.ts';
import { readSettings } from '../local/project.ts';

export interface OperatorsOptions {
  /** Types, `group.name`; empty for all. */
  readonly types: readonly string[];
  readonly json: boolean;
}

/** The result for one file. */
interface Checked {
  readonly type: string;
  readonly file: string;
  readonly rules: readonly RuleResult[];
  /** Why it could not be loaded or did not finish. */
  readonly fault?: Fault;
}

/** Time limit of one operator for the whole contract, in milliseconds. */
const TIME_LIMIT_MS = 60_000;

/**
 * `weft operators`: checks the operators in the user's folder against the contract of the built-in ones. Exit code 1 if
 * one breaks it, or does not load.
 */
export async function operators({ types, json }: OperatorsOptions, io: Io): Promise<ExitCode> {
  const { operators: folder } = readSettings(io);
  const checked = await checkFolder(folder, types, io);
  if (json) writeJson(io, { operators: checked });
  else print(io, checked, shownPath(io.cwd, folder));
  return checked.some(isBad) ? 1 : 0;
}

async function checkFolder(folder: string, types: readonly string[], io: Io): Promise<Checked[]> {
  const { files, problems } = await findOperatorFiles(folder);
  const unknown = types.find((type) => !files.some((file) => file.type === type));
  if (unknown !== undefined)
    throw new UsageError(`There is no operator ${unknown} in ${shownPath(io.cwd, folder)}.`);
  const wanted = types.length === 0 ? files : files.filter(({ type }) => types.includes(type));
  const rules = wanted.map((): RuleResult[] => []);
  const authored = wanted.map(({ path, type }) => ({ kind: 'contract' as const, path, name: type }));
  const faults = await probeFiles(authored, TIME_LIMIT_MS, (of, result) => rules[of]?.push(result));
  const taken = await takenNames(files);
  const shown = (file: string): string => shownPath(io.cwd, join(folder, file));
  return [
    ...(types.length === 0
      ? problems.map(({ file, ...fault }) => ({ type: '', file: shown(file), rules: [], fault }))
      : []),
    ...wanted.map(({ type, file }, i): Checked => {
      const fault = taken.get(file) ?? faults.get(i);
      return { type, file: shown(file), rules: rules[i] ?? [], ...(fault && { fault }) };
    }),
  ];
}

/** Files whose name belongs to a built-in operator or to an earlier file. */
async function takenNames(files: readonly OperatorFile[]): Promise<ReadonlyMap<string, Fault>> {
  const { registry } = await loadOperators({ builtIn: true });
  const seen = new Set(registry.operators.keys());
  const taken = files.filter(({ type }) => seen.size === seen.add(type).size);
  return new Map(
    taken.map(({ file, type }) => [file, { message: `The name ${type} is taken; give it another.` }]),
  );
}

function isBad({ rules, fault }: Checked): boolean {
  return fault !== undefined || rules.some(({ faults }) => faults.length > 0);
}

function print(io: Io, checked: readonly Checked[], folder: string): void {
  for (const { type, file, rules, fault } of checked) {
    const broken = rules.filter(({ faults }) => faults.length > 0);
    const state = fault || broken.length > 0 ? 'broken' : 'ok';
    io.stdout.write(`${state.padEnd(6)} ${type || '-'} (${file}), ${count(rules.length, 'rule')}\n`);
    if (fault) io.stdout.write(`  ${placeOf(file, fault)}: ${printable(fault.message)}\n`);
    for (const { rule, faults } of broken) {
      io.stdout.write(`  ${printable(rule)}\n`);
      for (const text of faults) io.stdout.write(`    ${printable(text)}\n`);
    }
  }
  const bad = checked.filter(isBad).length;
  io.stdout.write(
    checked.length === 0
      ? `There are no operators in ${folder}; weft new operator <group.name> creates one.\n`
      : `${count(checked.length, 'operator')}, ${bad} broken.\n`,
  );
}

function placeOf(file: string, { line, column }: Fault): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

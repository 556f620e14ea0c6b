import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Package, PackageReach } from '#shared/package-api.ts';
import { type FoundPackage, findPackage } from '../../../base/authored/packages.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { count, type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { npmReplace, npmUninstall, withInstalled } from '../local/npm.ts';
import { readSettings } from '../local/project.ts';

const SETTINGS = 'weft.config.json';

/** `weft add`: installs a package after its reach was shown and agreed to. Exit code 1 if it was not added. */
export async function addPackage(
  { spec, yes }: { readonly spec: string; readonly yes: boolean },
  io: Io,
): Promise<ExitCode> {
  const { place, isPath } = specOf(spec, io.cwd);
  const found = await withInstalled(place, io, (folder, name) => inspect(folder, name));
  const { name, version } = found;
  const fatal = found.problems.find(({ code }) => code === 'package_invalid');
  if (fatal !== undefined) {
    io.stderr.write(`error: ${printable(name)}: ${printable(fatal.message)}\n`);
    return 1;
  }
  io.stdout.write(`${name} ${version}${found.description === undefined ? '' : `: ${found.description}`}\n`);
  const before = await findPackage(join(io.cwd, 'node_modules', name));
  io.stdout.write(`${reachText(found)}\n${changesText(before, found)}`);
  if (!yes && !(await agreed(io))) {
    io.stdout.write('Nothing was added.\n');
    return 1;
  }
  // The version that was shown, in case a newer one has appeared.
  await npmReplace({ spec: isPath ? place : `${name}@${version}`, name }, io.cwd, io, async (folder) => {
    const installed = await findPackage(folder);
    if (JSON.stringify(installed.reach) === JSON.stringify(found.reach)) return;
    throw new UsageError(`${name} changed while it was installed, so nothing was changed here; try again.`);
  });
  changeSetting(io, (names) => [...names.filter((one) => one !== name), name]);
  return await describeInstalled(name, io);
}

/** A folder or a tarball gets its absolute path, because npm runs in another folder; npm resolves anything else. */
function specOf(spec: string, cwd: string): { readonly place: string; readonly isPath: boolean } {
  const path = resolve(cwd, spec);
  const isPath = /^[./~]|\.tgz$|\.tar\.gz$/.test(spec);
  if (isPath && !existsSync(path)) throw new UsageError(`There is no ${path}.`);
  if (isPath) return { place: path, isPath };
  if (/^(@\w[\w.~-]*\/)?\w[\w.~-]*(@[\w.^~<>=*-]+)?$/.test(spec)) return { place: spec, isPath };
  throw new UsageError(`${spec} is no folder, no tarball and no name of a package.`);
}

async function inspect(folder: string, name: string): Promise<FoundPackage> {
  const found = await findPackage(folder);
  return { ...found, name };
}

function reachText({ reach, files, problems }: FoundPackage): string {
  return [
    `  operators: ${files.map(({ type }) => type).join(', ') || 'none'}`,
    ...reachLines(reach),
    ...problems.map(
      ({ file, message }) => `  problem: ${file === undefined ? '' : `${file}: `}${printable(message)}`,
    ),
    '  Its code runs as a part of the server, without a sandbox. Add only packages whose authors you trust.',
  ].join('\n');
}

/** How a package differs from the version of it that is installed. Empty if none is. */
function changesText(before: FoundPackage, now: FoundPackage): string {
  if (before.problems.some(({ code }) => code === 'package_missing' || code === 'package_invalid')) return '';
  const types = ({ files }: FoundPackage): string[] => files.map(({ type }) => type);
  const lines = [
    ...differences('operators', types(before), types(now)),
    ...differences('hosts', before.reach.hosts, now.reach.hosts),
    ...differences('connections', before.reach.connections, now.reach.connections),
    ...differences('files of its runs', filesOf(before.reach), filesOf(now.reach)),
    ...differences('parts of the server', before.reach.services, now.reach.services),
  ];
  const from = `Compared with the installed ${before.name} ${before.version}`;
  if (lines.length === 0) return `  ${from}, it has the same operators and the same reach.\n`;
  return [`  ${from}:`, ...lines.map((line) => `    ${line}`), ''].join('\n');
}

function filesOf({ files }: PackageReach): string[] {
  return files ? ['yes'] : [];
}

function differences(what: string, before: readonly string[], now: readonly string[]): string[] {
  const added = now.filter((one) => !before.includes(one));
  const gone = before.filter((one) => !now.includes(one));
  return [
    ...(added.length > 0 ? [`new ${what}: ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`no longer ${what}: ${gone.join(', ')}`] : []),
  ];
}

function reachLines({ hosts, connections, files, services }: PackageReach): string[] {
  const shown = (list: readonly string[]): string => (list.length === 0 ? 'none' : list.join(', '));
  return [
    `  may send requests to: ${hosts.includes('*') ? 'any host' : shown(hosts)}`,
    `  may use connections: ${shown(connections)}`,
    `  may use files of its runs: ${files ? 'yes' : 'no'}`,
    `  may use of the server: ${shown(services)}`,
  ];
}

async function agreed(io: Io): Promise<boolean> {
  io.stdout.write('Add it? [y/N] ');
  let answer = '';
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes('\n')) break;
  }
  io.stdout.write('\n');
  return /^\s*y(es)?\s*(\n|$)/i.test(answer);
}

/** Prints how the server will load the package. */
async function describeInstalled(name: string, io: Io): Promise<ExitCode> {
  const one = (await installed(io)).find((found) => found.name === name);
  if (io.env['WEFT_PACKAGES']) {
    io.stderr.write(`warning: WEFT_PACKAGES replaces the list in ${SETTINGS}; add ${name} to it.\n`);
    return 0;
  }
  if (one !== undefined) printProblems(one, io);
  io.stdout.write(
    `Added ${name} with ${count(one?.operators.length ?? 0, 'operator')}; restart the server.\n`,
  );
  return one === undefined || one.problems.length > 0 ? 1 : 0;
}

/** `weft packages`. Exit code 1 if a package has a problem. */
export async function listPackages(json: boolean, io: Io): Promise<ExitCode> {
  const packages = await installed(io);
  if (json) writeJson(io, { packages });
  else print(packages, io);
  return packages.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

async function installed(io: Io): Promise<readonly Package[]> {
  const { operators: folder, packages } = readSettings(io);
  return (await loadOperators({ builtIn: true, folder, packages })).packages;
}

function print(packages: readonly Package[], io: Io): void {
  if (packages.length === 0) io.stdout.write('There are no packages; weft add installs one.\n');
  for (const one of packages) {
    io.stdout.write(`${one.name} ${one.version ?? '(not installed)'}\n`);
    io.stdout.write(`  operators: ${one.operators.join(', ') || 'none'}\n`);
    if (one.version !== undefined) io.stdout.write(`${reachLines(one.reach).join('\n')}\n`);
    printProblems(one, io);
  }
}

function printProblems({ problems }: Package, io: Io): void {
  for (const { code, file, message } of problems)
    io.stdout.write(`  ${code}: ${file === undefined ? '' : `${file}: `}${printable(message)}\n`);
}

/** `weft remove`. */
export async function removePackage(name: string, io: Io): Promise<ExitCode> {
  const { packages } = readSettings(io);
  if (!packages.some((folder) => folder.endsWith(join('node_modules', name))))
    throw new UsageError(`There is no package ${name} in the settings; weft packages lists them.`);
  if (existsSync(join(io.cwd, 'node_modules', name))) await npmUninstall(name, io.cwd, io);
  changeSetting(io, (names) => names.filter((one) => one !== name));
  io.stdout.write(`Removed ${name}; restart the server. Flows that use its operators will not run.\n`);
  return 0;
}

function changeSetting(io: Io, change: (names: readonly string[]) => readonly string[]): void {
  const file = join(io.cwd, SETTINGS);
  const settings = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
    : {};
  const names = Array.isArray(settings['packages']) ? (settings['packages'] as string[]) : [];
  writeFileSync(file, `${JSON.stringify({ ...settings, packages: change(names) }, null, 2)}\n`);
}

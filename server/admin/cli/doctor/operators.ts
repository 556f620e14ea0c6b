import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Config } from '../../../base/config/config.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import type { Finding } from './finding.ts';

const about = 'operators';

/** Packages and own operators that the server would not load: flows with their operators do not run. */
export async function checkOperators({ operators: folder, packages }: Config): Promise<Finding[]> {
  if (packages.length === 0 && !existsSync(folder)) return [];
  const loaded = await loadOperators({ builtIn: true, folder, packages });
  const found = [
    ...loaded.packages.flatMap(({ name, problems }) =>
      problems.map(({ code, file, message }) => packageFault(name, { code, file, message })),
    ),
    ...loaded.problems.map(
      ({ file, line, message }): Finding => ({
        about,
        state: 'error',
        says: `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
        todo: `Correct the file in ${folder}, or remove it (docs/operators.md).`,
      }),
    ),
  ];
  if (found.length > 0) return found;
  const names = packages.map((one) => basename(one)).join(', ');
  return [
    { about, state: 'ok', says: `All can be loaded${names === '' ? '' : `, with the packages ${names}`}.` },
  ];
}

function packageFault(
  name: string,
  {
    code,
    file,
    message,
  }: { readonly code: string; readonly file?: string | undefined; readonly message: string },
): Finding {
  const todo =
    code === 'package_missing'
      ? `weft add ${name} installs it; weft remove ${name} takes it out of the settings.`
      : 'Ask its author for another version, or remove it with weft remove (docs/packages.md).';
  return {
    about,
    state: 'error',
    says: `${code}: the package ${name}${file === undefined ? '' : `, ${file}`}: ${message}`,
    todo,
  };
}

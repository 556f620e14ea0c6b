import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { sealAnew } from '../../connections/shelf.ts';
import type { OwnData } from '../../control/own-data.ts';
import { type Rotated, rotateSecrets } from '../../control/rotate-secrets.ts';
import { openOwnDatabase } from '../../control/own-data.ts';
import { withData } from '../../control/with-data.ts';
import { createRedactor } from '../../secrets/redactor.ts';
import { openSecrets } from '../../secrets/store.ts';
import { count, type ExitCode, type Io, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** `weft secrets rotate`: another key for what is sealed, without a stop. */
export function addSecretCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('secrets')
    .description('manage how secrets and connections are encrypted')
    .command('rotate')
    .description(
      'seal all secrets and connections anew: WEFT_SECRETS_KEY is the key of now, WEFT_SECRETS_KEY_NEXT the new one; without both, a data folder gets a new key file',
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nServers of a database must have been started with WEFT_SECRETS_KEY_NEXT before (docs/cluster.md).\n\nExamples:\n  $ WEFT_SECRETS_KEY_NEXT=$(cat new.key) weft secrets rotate\n\nExit codes: 0 ok, 1 it was refused, 2 wrong usage.',
    )
    .action(async ({ json }: { json: boolean }) => done(await rotate(json, io)));
}

async function rotate(json: boolean, io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const { databaseUrl, secretsKey, secretsKeyNext: next } = config;
  if (next === undefined && (databaseUrl !== undefined || secretsKey !== undefined))
    throw new UsageError('Set WEFT_SECRETS_KEY_NEXT to the new key: `openssl rand -base64 32` creates one.');
  const rotated =
    databaseUrl === undefined
      ? await withData(
          config,
          (own) => rotateOwn(config, own),
          async (ask) =>
            (await ask({ do: 'secrets.rotate', ...(next !== undefined && { key: next }) })) as Rotated,
        )
      : await rotateShared({ ...config, databaseUrl });
  if (json) writeJson(io, rotated);
  else {
    const { secrets, connections } = rotated;
    io.stderr.write(`Sealed anew: ${count(secrets, 'secret')}, ${count(connections, 'connection')}.\n`);
    if (next !== undefined)
      io.stderr.write(
        'From the next start on, set WEFT_SECRETS_KEY to the new key, and unset WEFT_SECRETS_KEY_NEXT.\n',
      );
  }
  return 0;
}

/** Servers hear of it, so none needs to be asked. */
async function rotateShared(config: Config & { readonly databaseUrl: string }): Promise<Rotated> {
  const own = await openOwnDatabase(config);
  try {
    await own.refuseUnlessGiven?.(config.secretsKeyNext ?? '');
    return await rotateOwn(config, own);
  } finally {
    await own.close();
  }
}

async function rotateOwn(config: Config, { documents, shelf, note }: OwnData): Promise<Rotated> {
  const { data, secretsKey: key, secretsKeyNext: nextKey, secrets: environment, grants } = config;
  const redactor = createRedactor();
  const secrets = openSecrets({ data, key, nextKey, shelf, environment, grants, redactor, now: Date.now });
  const db = await documents();
  const connections = { sealAnew: () => sealAnew({ db, sealer: secrets }) };
  const rotated = await rotateSecrets({ secrets, connections }, nextKey);
  await note('secrets key changed', { ...rotated });
  return rotated;
}

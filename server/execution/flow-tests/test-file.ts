import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { FlowTests } from '#shared/flow-test.ts';
import { parseExactly } from '#shared/lost-digits.ts';
import { writeFileAtomic } from '../../base/files/atomic-file.ts';

/** The file with a flow's tests, beside the flow's own. */
export function testFileOf(flowFile: string): string {
  return flowFile.replace(/\.json$/, '.test.json');
}

/** A file of tests that cannot be used; the message gives the place and the reason. */
export class BadTests extends Error {
  override readonly name = 'BadTests';
}

/** Undefined if the file does not exist. Throws `BadTests`. */
export function readTests(file: string): FlowTests | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new BadTests(`it cannot be read (${code})`);
  }
  return parseTests(text);
}

/** Throws `BadTests`. */
export function parseTests(text: string): FlowTests {
  let json: unknown;
  try {
    json = parseExactly(text);
  } catch (error) {
    throw new BadTests(`it is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = FlowTests.safeParse(json);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw new BadTests(`${first?.path.join('.') || 'the file'}: ${first && sentenceOf(first)}`);
}

/** A name that does not exist is told with those that do. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  const known = issue.code === 'unrecognized_keys' ? fieldsAt(issue.path) : [];
  if (issue.code !== 'unrecognized_keys' || known.length === 0) return issue.message;
  return `there is no \`${issue.keys.join('`, `')}\`; there are ${known.map((name) => `\`${name}\``).join(', ')}`;
}

function fieldsAt(path: readonly PropertyKey[]): readonly string[] {
  let at = z.toJSONSchema(FlowTests, { io: 'input' }) as Schema | undefined;
  for (const key of path)
    at = typeof key === 'number' ? at?.items : (at?.properties?.[String(key)] ?? at?.additionalProperties);
  return Object.keys(at?.properties ?? {});
}

interface Schema {
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

/** Writes them in a form with small diffs: empty fields are left out. */
export async function writeTests(file: string, tests: FlowTests): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(withoutEmpty(tests), null, 2)}\n`);
}

function withoutEmpty({ format, cases }: FlowTests): unknown {
  return {
    format,
    cases: cases.map(({ outputs, errors, ...rest }) => ({
      ...rest,
      ...(Object.keys(outputs).length > 0 && { outputs }),
      ...(Object.keys(errors).length > 0 && { errors }),
    })),
  };
}

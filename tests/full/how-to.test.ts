import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Fence, fencesOf } from '../support/markdown.ts';
import { isPrinted } from '../support/printed.ts';
import { type Reader, startReader } from '../support/reader.ts';
import { root } from '../support/server.ts';

/**
 * Every block of the tutorial and of the pages by task is done as it stands, on a real server with the small shop: a file is saved, a
 * command is typed, and what it prints is compared with what the page says. The pages of a group have one server and one shell.
 */
const HOW_TO = 'docs/how-to';
const BEGIN = join(HOW_TO, 'README.md');
const tasks = readdirSync(join(root, HOW_TO))
  .filter((name) => name.endsWith('.md'))
  .map((name) => join(HOW_TO, name))
  .filter((page) => page !== BEGIN);
const groups: readonly (readonly string[])[] = [[BEGIN, ...tasks], ['docs/tutorial.md']];

/** A look at what may need a moment, which a person repeats. */
const isLook = (text: string): boolean =>
  !text.includes('\n') &&
  /^(?:last_mail$|weft [a-z-]+ list\b|curl (?!.*(?: -X | -d | -F | --data)))/.test(text);

async function type(reader: Reader, text: string, printed: string | undefined): Promise<void> {
  const once = async (): Promise<void> => {
    const { code, stdout, stderr } = await reader.type(text);
    const seen = stdout === '' ? stderr : stdout;
    if (printed !== undefined) {
      if (!isPrinted(printed, seen)) expect(seen, stderr).toBe(printed);
      return;
    }
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.not.stringMatching(/"success":\s*false|"error":\s*\{/),
    });
  };
  await (isLook(text) ? eventually(once) : once());
}

/** The path of a block that is a file: "Save this as `flows/x.json`:" */
const pathOf = ({ before }: Fence): string | undefined => /`([^`\s]+\.\w+)`:$/.exec(before)?.[1];

/** Blocks without a language are for other machines than this one, such as a file of a build server. */
const forOthers: readonly string[] = [
  'docs/how-to/mcp-tools.md',
  'docs/how-to/run-python.md',
  'docs/how-to/test-in-ci.md',
  'docs/tutorial.md',
];

describe.each(groups.map((pages) => ({ pages, first: pages[0] })))('$first', ({ pages }) => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await startReader();
  });
  afterAll(() => reader.close());

  describe.each(pages)('%s', (page) => {
    const fences = fencesOf(page);
    for (const [at, fence] of fences.entries()) {
      const file = pathOf(fence);
      const place = `line ${fence.line}`;
      if (file !== undefined) test(`${place}: ${file}`, () => reader.save(file, fence.text));
      else if (fence.language === 'sh') {
        const next = fences[at + 1];
        const isAnswer =
          next !== undefined && pathOf(next) === undefined && !['sh', ''].includes(next.language);
        const printed = isAnswer ? next.text : undefined;
        test(`${place}: ${fence.text.slice(0, 60)}`, () => type(reader, fence.text, printed));
      } else if (fence.language === '')
        test(`${place}: a block for another machine`, () => expect(forOthers).toContain(page));
      else
        test(`${place}: an answer follows its command`, () =>
          expect(fences[at - 1]?.language, fence.text).toBe('sh'));
    }
  });
});

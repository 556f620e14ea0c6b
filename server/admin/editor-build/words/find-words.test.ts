import { expect, test } from 'vitest';
import { findWords } from './find-words.ts';

const textsOf = (source: string): string[] =>
  findWords('a.tsx', source)
    .map(({ text }) => text)
    .filter((text) => text !== '');

test.each([
  ['<p>Hello {name}, <b>you</b>\n  there</p>', ['Hello {name}, <…>there', 'you']],
  ['<Button title="Save" className="flex gap-2" />', ['Save']],
  ['<p>{isOpen ? "open" : "closed"}</p>', ['open', 'closed']],
  ['<p>{count && `${count} runs of ${all.length}`}</p>', ['{count} runs of {all.length}']],
  ['const row = { label: "runs", id: "the-id", keys: ["Delete"] };', ['runs']],
  ['toast("saved"); cx("block truncate", isOn && "font-mono");', ['saved']],
  [
    'const of = (n: number) => (n === 1 ? "A run was started." : "Runs were started.");',
    ['A run was started.', 'Runs were started.'],
  ],
  [
    'if (state === "Paused") switch (key) { case "Enter": throw new Error("The flow is gone."); }',
    ['The flow is gone.'],
  ],
  ['const stateText = () => { if (on) return "paused"; return "over"; };', ['paused', 'over']],
  ['import { A } from "The path"; type Kind = "The type"; const a: "The type" = b as "The type";', []],
  ['fetch(`/api/v1/flows/${id}`); path(`M ${x} ${y}C 1 2`); sum(a + "px " + b);', []],
  [
    'const page = `<p class="a">Hello ${escape(name)}, <a href="/x">open\\n it</a>.</p>${isOn ? "Now on" : ""}<pre>Not this</pre>`;',
    ['Hello {escape(name)}, <…>.', 'open it', 'Now on'],
  ],
  [
    'const page = \'<label for="a">Your name</label><input id="a" placeholder="Ada Lovelace">\';',
    ['Your name', 'Ada Lovelace'],
  ],
])('What do people read in %s?', (source, texts) => {
  expect(textsOf(source)).toEqual(texts);
});

test('Do names of fields not count elsewhere than in the editor?', () => {
  const source = 'const a = { text: "utf8", message: "The disk is full." };';
  const found = findWords('a.ts', source, { byName: false });
  expect(found.map(({ text }) => text)).toEqual(['The disk is full.']);
});

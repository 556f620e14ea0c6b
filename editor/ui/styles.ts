import type { Tone } from './Badge.tsx';

/** Styles that several primitives share. */
export const popupBox =
  'rounded-lg border border-line bg-surface text-text shadow-(--shadow) outline-hidden ' +
  'transition-opacity duration-100 data-starting-style:opacity-0 data-ending-style:opacity-0';

/** One line of a menu, or list box. */
export const listItem =
  'flex min-h-7 cursor-default select-none items-center gap-2 rounded-md px-2 py-1 outline-hidden pointer-coarse:min-h-11 ' +
  'data-highlighted:bg-surface-3 data-disabled:text-text-2 data-disabled:opacity-60';

/** Makes a control of 32 px as high as a finger needs (44 px), without moving anything. */
export const tapArea =
  '[:where(&)]:relative pointer-coarse:after:absolute pointer-coarse:after:inset-x-0 pointer-coarse:after:-inset-y-1.75';

/** The same for a link of one line: 12 px higher for fingers. */
export const tapLine = 'pointer-coarse:-my-1.5 pointer-coarse:py-1.5';

/** The box of a text field and of everything that looks like one; it fills its container unless a class gives a width. */
export const fieldBox =
  '[:where(&)]:w-full rounded-md border border-line-strong/60 bg-surface px-2 text-text placeholder:text-text-2 ' +
  'hover:border-line-strong focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 ' +
  'data-invalid:border-bad disabled:opacity-60';

/** A heading above a list or a section of a form. */
export const sectionTitle = 'text-xs font-medium text-text-2';

/** The colour of words and signs of a tone. */
export const toneText: Readonly<Record<Tone, string>> = {
  neutral: 'text-text-2',
  accent: 'text-accent',
  ok: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
  busy: 'text-busy',
};

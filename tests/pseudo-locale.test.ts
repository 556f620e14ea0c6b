import { expect, test } from 'vitest';
import { inPseudo, pseudo } from './editor/support/pseudo-locale.ts';

test('Is a text of the pseudo-locale at least 40 % longer, and readable?', () => {
  expect(pseudo(' Send it &amp; go ')).toBe(' [Śéńď~~ íť~ &amp; ǵó~] ');
});

test('Does the pseudo-locale change texts alone, and mark what is put in?', () => {
  const source =
    'const a = <p title="Save">{n > 1 ? `${n} of ${of("the runs")}` : "x"} runs</p>; b === "Paused";';
  const unseen = inPseudo('a.tsx', source).replaceAll('\u2063', '‹').replaceAll('\u2064', '›');
  expect(unseen).toBe(
    'const a = <p title="[Śáṽé~~]">{n > 1 ? `[‹${n}› óƒ~ ‹${of("[ťĥé~~ ŕúńś~~]")}›]` : "[ẋ~]"} [ŕúńś~~]</p>; b === "Paused";',
  );
});

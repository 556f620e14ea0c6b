import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Purpose } from '#shared/catalog.ts';

const css = readFileSync(new URL('../tokens.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = [/^:root \{([^}]*)\}/m, /^:root\[data-theme="dark"\] \{([^}]*)\}/m].map(
  (block) => block.exec(css)?.[1],
);

function colorOf(theme: string, token: string): readonly number[] {
  const [, hex = ''] = new RegExp(`--${token}: #([0-9a-f]{6});`).exec(theme) ?? [];
  expect(hex).not.toBe('');
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** As WCAG computes it. */
function luminance(color: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: readonly number[], b: readonly number[]): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const tinted = (color: readonly number[], ground: readonly number[]): readonly number[] =>
  color.map((value, i) => 0.1 * value + 0.9 * (ground[i] ?? 0));

test.each(Purpose.options)('the colour of %s stands out from every ground in both themes', (purpose) => {
  for (const theme of [light, dark]) {
    const color = colorOf(theme, `purpose-${purpose}`);
    for (const ground of ['surface', 'surface-2', 'surface-3', 'canvas'].map((name) =>
      colorOf(theme, name),
    )) {
      expect(contrast(color, ground)).toBeGreaterThanOrEqual(3);
      // The icon lies on a tint of its colour.
      expect(contrast(color, tinted(color, ground))).toBeGreaterThanOrEqual(3);
    }
  }
});

test('no two purposes have the same colour', () => {
  for (const theme of [light, dark]) {
    const colors = Purpose.options.map((purpose) => String(colorOf(theme, `purpose-${purpose}`)));
    expect(new Set(colors).size).toBe(colors.length);
  }
});

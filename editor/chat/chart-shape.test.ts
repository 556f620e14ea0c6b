import { describe, expect, it } from 'vitest';
import { fc } from '../../tests/support/property.ts';
import { chartShape, chartWords, ticksOf } from './chart-shape.ts';

describe('chartShape', () => {
  it('takes numbers as series and the rest as labels', () => {
    const rows = [
      { month: 'May', sold: 3, earned: '12.50' },
      { month: 'June', sold: null, earned: '7' },
    ];
    expect(chartShape('response_line_chart', rows)).toEqual({
      kind: 'line',
      by: 'month',
      labels: ['May', 'June'],
      series: [
        { name: 'sold', values: [3, null] },
        { name: 'earned', values: [12.5, 7] },
      ],
    });
  });

  it('makes a series of each group', () => {
    const rows = [
      { month: 'May', city: 'Paris', sold: 3 },
      { month: 'May', city: 'London', sold: 4 },
      { month: 'June', city: 'Paris', sold: 5 },
    ];
    expect(chartShape('response_bar_chart', rows)).toMatchObject({
      labels: ['May', 'June'],
      series: [
        { name: 'Paris', values: [3, 5] },
        { name: 'London', values: [4, null] },
      ],
    });
  });

  it('takes the first of several numbers as label', () => {
    const rows = [
      { year: 2025, sold: 3 },
      { year: 2026, sold: 4 },
    ];
    expect(chartShape('response_area_chart', rows)).toMatchObject({ by: 'year', labels: ['2025', '2026'] });
  });

  it('draws the largest slices of a pie, and the others as one', () => {
    const rows = Array.from({ length: 14 }, (_, i) => ({ name: `n${i}`, total: i }));
    const pie = chartShape('response_donut_chart', rows);
    expect(pie).toMatchObject({
      kind: 'pie',
      labels: ['n13', 'n12', 'n11', 'n10', 'n9', 'n8', 'n7', 'n6', 'n5', '4 others'],
    });
    expect(pie?.kind === 'pie' && pie.series[0]?.values.at(-1)).toBe(1 + 2 + 3 + 4);
  });

  it('draws points between two numbers, as large as the third', () => {
    const rows = [
      { a: 1, b: 2, c: 5 },
      { a: 3, b: 4, c: 10 },
    ];
    expect(chartShape('response_bubble_chart', rows)).toEqual({
      kind: 'scatter',
      x: 'a',
      y: 'b',
      points: [
        { x: 1, y: 2, size: 0.5 },
        { x: 3, y: 4, size: 1 },
      ],
    });
  });

  it.each([
    ['a table', 'response_table', [{ a: 'x', b: 1 }]],
    ['an unknown kind', 'toString', [{ a: 'x', b: 1 }]],
    ['no rows', 'response_line_chart', []],
    ['no numbers', 'response_line_chart', [{ a: 'x' }]],
    ['one number alone', 'response_bar_chart', [{ count: 4 }]],
    ['negative parts', 'response_pie_chart', [{ a: 'x', b: -1 }]],
    ['nothing but zeros', 'response_pie_chart', [{ a: 'x', b: 0 }]],
    ['one axis', 'response_scatter_plot', [{ a: 1 }]],
    ['too many labels', 'response_bar_chart', Array.from({ length: 201 }, (_, i) => ({ a: `${i}x`, b: i }))],
  ])('leaves %s to the table', (_, type, rows) => {
    expect(chartShape(type, rows)).toBeUndefined();
  });
});

it('says in words what a chart shows', () => {
  const rows = [
    { city: 'Paris', sold: 1500 },
    { city: 'London', sold: 3 },
  ];
  const shape = chartShape('response_bar_chart', rows);
  expect(shape && chartWords(shape)).toEqual({
    title: 'Bar chart of sold by city',
    description: 'sold: highest 1,500 (Paris), lowest 3 (London). The table has all values.',
  });
});

it('marks an axis with round numbers around all values', () => {
  expect(ticksOf(0, 9, 5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticksOf(0.1, 0.3, 4)).toEqual([0.1, 0.15, 0.2, 0.25, 0.3].map((n) => expect.closeTo(n)));
  const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [least, most] = [Math.min(a, b), Math.max(a, b)];
      const ticks = ticksOf(least, most, 5);
      const slack = Math.max(Math.abs(least), Math.abs(most)) * 1e-9;
      expect(ticks.length).toBeLessThan(20);
      expect((ticks[0] ?? 0) <= least + slack && (ticks.at(-1) ?? 0) >= most - slack).toBe(true);
    }),
  );
});

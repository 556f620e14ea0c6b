/** An operator: `sample.initials`, from its group (the folder) and its name (the file). */
export default ({ defineOperator, input, output, z, WeftError }) =>
  defineOperator({
    title: 'Initials',
    doc: 'Takes the first letters of a name.',
    icon: 'case-upper',
    params: z.object({
      dots: z.boolean().default(false).describe('Whether a dot follows each letter.'),
    }),
    inputs: { in: input({ doc: 'A name.', schema: z.string() }) },
    outputs: { out: output({ doc: 'Its initials.', schema: z.string() }) },
    effects: 'pure',
    lift: true,
    examples: [
      { title: 'Two names', inputs: { in: 'Ada Lovelace' }, outputs: { out: 'AL' } },
      {
        title: 'With dots',
        params: { dots: true },
        inputs: { in: 'Ada Lovelace' },
        outputs: { out: 'A.L.' },
      },
    ],
    run({ params, input: name }) {
      if (typeof name !== 'string') throw new WeftError('bad_input', 'The name is no text.');
      const letters = name
        .split(' ')
        .filter((part) => part !== '')
        .map((part) => String.fromCodePoint(part.codePointAt(0)));
      return letters.map((letter) => (params.dots ? `${letter}.` : letter)).join('');
    },
  });

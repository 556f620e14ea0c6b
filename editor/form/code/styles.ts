import { EditorView } from '@codemirror/view';

const mono = 'var(--font-mono)';

/** The styles of an editor, from the tokens of the theme. */
export const theme = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '18px' },
  '.cm-content': { padding: '4px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-placeholder': { color: 'var(--text-2)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.is-multiline &': { minHeight: '76px', maxHeight: '320px' },
  '.is-multiline & .cm-content': { minHeight: '76px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-hole': { backgroundColor: 'var(--accent-soft)', borderRadius: '3px' },
  '.cm-hole-brace': { color: 'var(--accent)', fontWeight: '600' },
  '.cm-json-name': { color: 'var(--accent)' },
  '.cm-hole-name': { color: 'var(--text)' },
  '.cm-hole-call': { color: 'var(--port-stream)' },
  '.cm-hole-text': { color: 'var(--ok)' },
  '.cm-hole-number': { color: 'var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    fontFamily: 'var(--font-sans)',
    fontSize: '12px',
    maxWidth: '420px',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: mono,
    maxHeight: '240px',
    padding: '4px',
    minWidth: '220px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: '8px',
    minHeight: '24px',
    padding: '0 8px',
    borderRadius: '6px',
    lineHeight: '18px',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--surface-3)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700', color: 'var(--accent)' },
  '.cm-kind': { width: '1ch', flexShrink: '0', color: 'var(--text-2)' },
  '.cm-completionDetail': { marginLeft: 'auto', fontStyle: 'normal', color: 'var(--text-2)' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '280px', lineHeight: '1.45' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: 'none' },
});

import { EditorView } from '@codemirror/view';

let mounted = false;

/**
 * CodeMirror writes its styles into a `<style>` element when it sees a document with a head, which the editor's content
 * security policy forbids. Without a head it uses a constructed style sheet, as in a shadow root, and keeps doing so. So the
 * first editor is created, and thrown away, while the document seems to have no head. Called before any editor is made.
 */
export function mountStyles(): void {
  if (mounted) return;
  mounted = true;
  Object.defineProperty(document, 'head', { configurable: true, value: null });
  try {
    new EditorView({ root: document }).destroy();
  } finally {
    Reflect.deleteProperty(document, 'head');
  }
}

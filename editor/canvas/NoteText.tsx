import Markdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import type { Components } from 'react-markdown';

/** Pictures are not fetched: a note that came with a flow could tell its author who reads it. */
const components: Components = {
  img: ({ alt }) => <span>[{alt ?? 'picture'}]</span>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer" className="nodrag underline">
      {children}
    </a>
  ),
};

/** A chunk of its own, for Markdown is not needed before there is a note. */
export default function NoteText({ text }: { text: string }) {
  return (
    <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
      {text}
    </Markdown>
  );
}

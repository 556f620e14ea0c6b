/** Words that nearly every text has, by language: they say nothing of what a question is about. */
const LANGUAGES = [
  `a about all also am an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it its
  just may me more most much must my no not of on one only or our out over she should so some such than that the their them then
  there these they this those to too up us was we were what when where which while who whom whose why will with would you your`,
  `aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dir du durch ein eine einem einen einer
  er es für gibt hat habe haben hatte ich ihr ihre im in ist ja kann kein keine man mein meine mich mir mit nach nicht noch nur ob oder
  sein sich sie sind so über um und uns vom von vor war warum was welche welcher wenn wer werden wie wieviel wird wir wo zu zum zur`,
  `au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur lui ma mais me mes moi ne nous où par pas pour
  quand que quel quelle qui quoi sa se ses son sont sur ta tu un une vous y`,
  `al como con cual cuál cuando cuándo cómo de del donde dónde el ella en es esta este la las lo los más mi no o para pero por qué que se si
  sin sobre su sus un una y`,
].map((words): ReadonlySet<string> => new Set(words.split(/\s+/)));

/**
 * The words without the everyday ones of their language, which is the one that most of them belong to: `hat` says nothing in German, but
 * much in English. Names in capitals stay, such as `IT` and `WHO`.
 */
export function tellingWords(words: readonly string[]): string[] {
  const lower = words.map((word) => word.toLowerCase());
  const counts = LANGUAGES.map((language) => lower.filter((word) => language.has(word)).length);
  const most = Math.max(...counts);
  const spoken = LANGUAGES.filter((_, at) => counts[at] === most);
  const isName = (word: string) => word.length > 1 && word === word.toUpperCase();
  const isShouted = words.every((word) => word === word.toUpperCase());
  return words.filter(
    (word, at) =>
      (isName(word) && !isShouted) || !spoken.some((language) => language.has(lower[at] as string)),
  );
}

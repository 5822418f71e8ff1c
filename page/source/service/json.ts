// Parses streamed JSON and keeps every digit of decimals.
import { Tokenizer, TokenParser } from "@streamparser/json";

/** Calls `found` with each element of the answer's array as soon as it is parsed. Throws if the answer is incomplete. */
export function eachElement<T>(answer: Response, found: (element: T) => void, pause: () => Promise<void>): Promise<void> {
  return read(answer, "$.*", (value) => found(value as T), pause);
}

/** Parses the complete answer. */
export async function wholeValue<T>(answer: Response): Promise<T> {
  let whole: unknown;
  await read(answer, "$", (value) => (whole = value));
  return whole as T;
}

async function read(answer: Response, path: string, found: (value: unknown) => void, pause?: () => Promise<void>): Promise<void> {
  const tokens = new ExactTokenizer();
  const values = new TokenParser({ paths: [path], keepStack: false });
  tokens.onToken = (token) => values.write(token);
  values.onValue = ({ value }) => found(value);
  const reader = answer.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    tokens.write(value);
    await pause?.();
  }
  if (!values.isEnded) throw new TypeError("the answer broke off");
}

class ExactTokenizer extends Tokenizer {
  // Returns the number, or its digits if a double would lose some. The types of the fields name those that may be either.
  protected override parseNumber(text: string): number {
    const number = Number(text);
    return String(number) === text ? number : (text as unknown as number);
  }
}

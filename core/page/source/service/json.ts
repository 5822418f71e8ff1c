// Reads JSON as it comes in, with every digit of its decimals.
import { Tokenizer, TokenParser } from "@streamparser/json";

/** Calls `found` with each element of the array that the answer is, as soon as it is there. Fails where the answer breaks off. */
export function eachElement<T>(answer: Response, found: (element: T) => void, pause: () => Promise<void>): Promise<void> {
  return read(answer, "$.*", (value) => found(value as T), pause);
}

/** The whole answer. */
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
  // The number, or its digits where a double would lose some of them; who takes it knows which fields are decimals.
  protected override parseNumber(text: string): number {
    const number = Number(text);
    return String(number) === text ? number : (text as unknown as number);
  }
}

package portail;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The encoding of wasm/abi/portail.h: numbers are little-endian, a text is its size and its bytes. */
final class Encoding {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);

    Encoding number(int number) {
        for (int shift = 0; shift < 32; shift += 8) {
            bytes.write(number >>> shift);
        }
        return this;
    }

    Encoding text(byte[] text) {
        number(text.length);
        bytes.writeBytes(text);
        return this;
    }

    /** A header has one char for each byte. */
    Encoding text(String text) {
        return text(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Encoding headers(List<Map.Entry<String, String>> headers) {
        number(headers.size());
        for (var header : headers) {
            text(header.getKey()).text(header.getValue());
        }
        return this;
    }

    byte[] encoded() {
        return bytes.toByteArray();
    }

    static ByteBuffer reader(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static List<String> texts(ByteBuffer from, int count) {
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; ++i) {
            byte[] text = new byte[from.getInt()];
            from.get(text);
            texts.add(new String(text, StandardCharsets.ISO_8859_1));
        }
        return texts;
    }
}

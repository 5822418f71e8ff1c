package portail;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A first portal without an identity provider and without the native program: a key, tokens, and a sample portal in memory. For development
 * only: the program that has the object can sign a token for any user.
 */
public final class Development {
    private static final String ISSUER = "https://development.invalid", AUDIENCE = "portail";
    private static final Duration LIFETIME = Duration.ofHours(12);
    private static final Pattern VALUE = Pattern.compile("\\{\"key\":\"([^\"]*)\",\"value\":\"([^\"]*)\"\\}");

    private final byte[] key = new byte[32];
    private final MemoryStore store = new MemoryStore();

    /** Generates a key, which ends with the object. */
    public Development() {
        new SecureRandom().nextBytes(key);
        try (InputStream values = Development.class.getResourceAsStream("development.jsonl")) {
            VALUE.matcher(new String(values.readAllBytes(), StandardCharsets.UTF_8)).results()
                    .forEach(value -> store.put(value.group(1), Base64.getDecoder().decode(value.group(2))));
        } catch (IOException fault) {
            throw new UncheckedIOException(fault); // of the jar
        }
    }

    /** The values of fixtures/development.json. */
    public MemoryStore store() {
        return store;
    }

    /** The settings of a portal that accepts the tokens, also without TLS from this machine. */
    public Map<String, String> settings() {
        String keys = "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"development\",\"alg\":\"HS256\",\"use\":\"sig\",\"k\":\"" + base64url(key) + "\"}]}";
        return Map.of("PORTAIL_ISSUER", ISSUER, "PORTAIL_AUDIENCE", AUDIENCE, "PORTAIL_JWKS", keys, "PORTAIL_TRANSPORT", "loopback");
    }

    /** Returns a token, valid for twelve hours. */
    public String token(String subject, String... roles) {
        long now = Instant.now().getEpochSecond();
        String head = "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"development\"}";
        String claims = String.format(Locale.ROOT, "{\"iss\":\"%s\",\"aud\":\"%s\",\"sub\":%s,\"iat\":%d,\"exp\":%d,\"role\":[%s]}", ISSUER,
                AUDIENCE, quoted(subject), now, now + LIFETIME.toSeconds(), Arrays.stream(roles).map(Development::quoted).collect(Collectors.joining(",")));
        String signed = base64url(head.getBytes(StandardCharsets.UTF_8)) + "." + base64url(claims.getBytes(StandardCharsets.UTF_8));
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return signed + "." + base64url(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException fault) {
            throw new IllegalStateException(fault); // every JDK has HmacSHA256
        }
    }

    /** Returns the text as JSON. */
    private static String quoted(String text) {
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("a subject or role has a control character");
        }
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static String base64url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}

import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/** Prints ../error-codes.txt: each code's number, name, and whether Java's client counts it as retriable. */
class ErrorCodes {
    public static void main(String[] args) {
        for (Errors e : Errors.values()) {
            System.out.println(e.code() + " " + e.name() + " " + (e.exception() instanceof RetriableException));
        }
    }
}

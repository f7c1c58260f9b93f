typedef uint8_t Row;

// tile schedule verify-schedule perfetto report
func.func private @declared()
func.func @nothing() { return }
